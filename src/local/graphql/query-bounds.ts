import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type IntValueNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** GitHub's limit of nodes ("Rate limits and query limits for the GraphQL API" on docs.github.com). */
const MAX_NODES = 500_000;
/** Fields that a query may ask for in all: fragments and aliases multiply without any list. */
const MAX_FIELDS = 1_000_000;

/** What a query asks for at most. */
interface Size {
  readonly nodes: number;
  readonly fields: number;
}

const EMPTY: Size = { nodes: 0, fields: 0 };

/**
 * GitHub's refusal of a query that asks for too much, or null. Counts what could be there, not what is, and each fragment once.
 * The query has to be a valid one: fragments without cycles.
 */
export function tooMuch(
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
): { readonly type: string; readonly message: string } | null {
  const counter = new Counter(document, variables);
  const operations = document.definitions.filter(
    (one): one is OperationDefinitionNode => one.kind === Kind.OPERATION_DEFINITION,
  );
  for (const operation of operations) {
    const { nodes, fields } = counter.of(operation.selectionSet);
    if (nodes > MAX_NODES)
      return {
        type: 'MAX_NODE_LIMIT_EXCEEDED',
        message: `This query requests up to ${nodes.toLocaleString('en-US')} possible nodes which exceeds the maximum limit of ${MAX_NODES.toLocaleString('en-US')}.`,
      };
    if (fields > MAX_FIELDS)
      return { type: 'RESOURCE_LIMITS_EXCEEDED', message: 'Resource limits for this query exceeded.' };
  }
  return null;
}

class Counter {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #variables: Readonly<Record<string, unknown>>;
  readonly #known = new Map<string, Size>();

  constructor(document: DocumentNode, variables: Readonly<Record<string, unknown>>) {
    this.#variables = variables;
    this.#fragments = new Map(
      document.definitions.flatMap((one) =>
        one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [],
      ),
    );
  }

  of(set: SelectionSetNode | undefined): Size {
    return (set?.selections ?? []).reduce<Size>((sum, one) => {
      if (one.kind === Kind.FRAGMENT_SPREAD) return plus(sum, this.#fragment(one.name.value));
      if (one.kind === Kind.INLINE_FRAGMENT) return plus(sum, this.of(one.selectionSet));
      const inner = this.of(one.selectionSet);
      const bound = this.#bound(one.arguments ?? []);
      const times = bound ?? 1;
      return plus(sum, { nodes: (bound ?? 0) + times * inner.nodes, fields: 1 + times * inner.fields });
    }, EMPTY);
  }

  #fragment(name: string): Size {
    const known = this.#known.get(name) ?? this.of(this.#fragments.get(name)?.selectionSet);
    this.#known.set(name, known);
    return known;
  }

  /** `first` or `last` of a connection, or how many `ids` are asked for. */
  #bound(
    args: NonNullable<Extract<SelectionSetNode['selections'][number], { kind: Kind.FIELD }>['arguments']>,
  ): number | null {
    for (const { name, value } of args) {
      const given = value.kind === Kind.VARIABLE ? this.#variables[value.name.value] : undefined;
      if (name.value === 'ids') return value.kind === Kind.LIST ? value.values.length : listLength(given);
      if (name.value !== 'first' && name.value !== 'last') continue;
      const size = value.kind === Kind.VARIABLE ? Number(given) : Number((value as IntValueNode).value);
      // What is over the limit of a page is refused where it is read.
      if (size >= 0) return Math.min(size, 100);
    }
    return null;
  }
}

const listLength = (value: unknown): number => (Array.isArray(value) ? value.length : 1);

const plus = (a: Size, b: Size): Size => ({ nodes: a.nodes + b.nodes, fields: a.fields + b.fields });
