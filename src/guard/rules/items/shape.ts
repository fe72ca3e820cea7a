import { chainOf } from '../../parse/call-chain.ts';
import { childByField, type ParsedFile, type SyntaxNode, textOf } from '../../parse/syntax.ts';

/**
 * What a statement of a test file is. `test`: a unit with a title that runs by itself. `container`: a class, suite or module
 * of units. `hook`: runs around units that it does not name. `other`: runs when the file is loaded.
 */
export type ItemKind = 'test' | 'container' | 'import' | 'declaration' | 'hook' | 'other';

export interface Shape {
  readonly kind: ItemKind;
  /** Title of a test or container, else the first bound name. */
  readonly name: string;
  /** Node whose children are the items of a container, or the code of a test. */
  readonly body: SyntaxNode | null;
  /** Names that the statement binds at its own level. */
  readonly bound: readonly string[];
}

export function other(): Shape {
  return { kind: 'other', name: '', body: null, bound: [] };
}

/** Text of the `name` field of a node. */
export function nameOf(file: ParsedFile, node: SyntaxNode): string {
  const name = childByField(node, 'name');
  return name === null ? '' : textOf(file, name);
}

/** Names of the attributes, annotations or decorators among the children of a node, without arguments and without their packages. */
export function annotationNames(file: ParsedFile, nodes: readonly SyntaxNode[]): string[] {
  return nodes.flatMap((node) => {
    if (/^(annotation|marker_annotation|attribute)$/.test(node.type)) {
      const name = childByField(node, 'name') ?? node.children.find((child) => child.named);
      return name === undefined || name === null ? [] : [chainOf(file, name).at(-1) ?? ''];
    }
    return /^(modifiers|attribute_list|attribute_group|attribute_item|attributes)$/.test(node.type)
      ? annotationNames(file, node.children)
      : [];
  });
}
