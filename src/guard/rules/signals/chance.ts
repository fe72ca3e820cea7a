import { chainOf, isCall } from '../../parse/call-chain.ts';
import {
  ancestors,
  childByField,
  findAll,
  type ParsedFile,
  type SyntaxNode,
  textOf,
  walk,
} from '../../parse/syntax.ts';
import { type Signal, signal } from './signal.ts';

const random =
  /^(Math\.random|random\.(random|choice|choices|randint|randrange|shuffle|sample|getrandbits|uniform)|secrets\.\w+|rand\.(Int\w*|Float\w*|Intn|Perm|Shuffle)|rand|mt_rand|random_int|array_rand|shuffle|Random\.rand|Kernel\.rand|rand.random|rand.thread_rng(\.\w+)*|thread_rng(\.\w+)*|new Random|Random\.Shared\.\w+|ThreadLocalRandom\.current\.\w+|crypto\.(randomInt|getRandomValues))$/;
const clock =
  /^(Date\.now|new Date|Date|time\.(time|time_ns|monotonic|perf_counter)|time\.Now(\.\w+)*|Time\.now(\.\w+)*|System\.(currentTimeMillis|nanoTime)|microtime|hrtime|process\.hrtime(\.bigint)?|performance\.now|DateTime\.(now|UtcNow|Now)|Instant\.now|SystemTime\.now|datetime\.(now|utcnow)|datetime\.datetime\.(now|utcnow)|Stopwatch\.\w+|id|hash)$/;

/** Code whose answer depends on chance, on the clock, or on how often it was called. */
export function chanceSignals(file: ParsedFile): Signal[] {
  const found: Signal[] = [];
  for (const node of walk(file.root)) {
    if (!isCall(node)) continue;
    const chain = chainOf(file, node).join('.');
    if (random.test(chain)) found.push(signal(file, 'nondeterministic', node, 'answers by chance'));
    else if (clock.test(chain) && decides(node))
      found.push(signal(file, 'nondeterministic', node, 'answers by the clock'));
  }
  return [...found, ...counters(file)];
}

/** The value is compared or reduced in the condition of a branch. */
function decides(node: SyntaxNode): boolean {
  for (const parent of ancestors(node)) {
    if (
      /^(binary_expression|comparison_operator|binary_operator|binary)$/.test(parent.type) &&
      parent.children.some((child) => /^(%|&)$/.test(child.type))
    )
      return true;
    if (/statement$|declaration$/.test(parent.type)) return false;
  }
  return false;
}

/** A variable outside all functions that a function counts up and asks for in a condition. */
function counters(file: ParsedFile): Signal[] {
  const steps = findAll(
    file.root,
    (node) =>
      /^(update_expression|augmented_assignment(_expression)?|inc_statement|assignment_statement|compound_assignment_expr|operator_assignment|postfix_unary_expression|prefix_unary_expression|assignment_expression|assignment)$/.test(
        node.type,
      ) && /\+\+|\+=|=\s*\w+\s*\+\s*1\b|=\s*(true|True)\b|fetch_add/.test(textOf(file, node).slice(0, 80)),
  );
  return steps.flatMap((step) => {
    const name = [...walk(step)].find(
      (node) => node.children.length === 0 && /identifier|variable|constant|^name$/.test(node.type),
    );
    if (name === undefined || !inFunction(step)) return [];
    const text = textOf(file, name);
    if (!isModuleLevel(file, text) || !isAsked(file, text)) return [];
    return [signal(file, 'state-between-calls', step, `answers by how often it was called (${text})`)];
  });
}

function inFunction(node: SyntaxNode): boolean {
  return [...ancestors(node)].some((parent) => /function|method|arrow|lambda|func_literal/.test(parent.type));
}

function isModuleLevel(file: ParsedFile, name: string): boolean {
  return findAll(file.root, (node) =>
    /^(variable_declarator|assignment|var_spec|static_item|field_declaration|class_variable|assignment_expression|global_statement)$/.test(
      node.type,
    ),
  ).some((node) => {
    const left =
      childByField(node, 'name') ?? childByField(node, 'left') ?? node.children.find((child) => child.named);
    return (
      left !== null &&
      left !== undefined &&
      textOf(file, left).split(/\s+/).at(-1) === name &&
      !inFunction(node) &&
      !/^(class)/.test(node.parent?.type ?? '')
    );
  });
}

function isAsked(file: ParsedFile, name: string): boolean {
  return findAll(file.root, (node) => node.field === 'condition').some((condition) =>
    [...walk(condition)].some((node) => node.children.length === 0 && textOf(file, node) === name),
  );
}
