import { signature } from '../../parse/signature.ts';
import { findAll, type ParsedFile, type SyntaxNode, walk } from '../../parse/syntax.ts';
import type { Item } from '../items/item.ts';

const lists =
  /^(named_imports|import_spec_list|use_list|import_clause|object_pattern|namespace_use_group|import_from_statement)$/;

/** Whether the head's import is the base's with names added to a list of names. */
export function importsMore(base: ParsedFile, old: Item, head: ParsedFile, now: Item): boolean {
  if (old.kind !== 'import' || now.kind !== 'import') return false;
  if (base.language === 'go') return importsAll(base, old.node, head, now.node);
  const obeyed = (file: ParsedFile, item: Item) =>
    item.parts
      .slice(0, -1)
      .map((part) => signature(file, part))
      .join('\n');
  return obeyed(base, old) === obeyed(head, now) && grows(base, old.node, head, now.node);
}

/** Go writes one import or a list of them; what counts is that none is lost. */
function importsAll(base: ParsedFile, old: SyntaxNode, head: ParsedFile, now: SyntaxNode): boolean {
  const specs = (file: ParsedFile, node: SyntaxNode) =>
    findAll(node, (each) => each.type === 'import_spec').map((each) => signature(file, each));
  const given = new Set(specs(head, now));
  return specs(base, old).every((spec) => given.has(spec));
}

function grows(base: ParsedFile, old: SyntaxNode, head: ParsedFile, now: SyntaxNode): boolean {
  if (signature(base, old) === signature(head, now)) return true;
  if (old.type !== now.type) return false;
  const before = named(old);
  const after = named(now);
  if (lists.test(old.type)) {
    let at = 0;
    for (const node of after) {
      const wanted = before[at];
      if (wanted !== undefined && grows(base, wanted, head, node)) at += 1;
    }
    return at === before.length;
  }
  if (before.length === 0 && after.length === 0) return false;
  const rest = (node: SyntaxNode, file: ParsedFile) =>
    node.children
      .filter((child) => !child.named)
      .map((child) => signature(file, child))
      .join(' ');
  return (
    rest(old, base) === rest(now, head) &&
    before.length === after.length &&
    before.every((node, index) => grows(base, node, head, after[index] as SyntaxNode))
  );
}

function named(node: SyntaxNode): SyntaxNode[] {
  return node.children.filter((child) => child.named && !child.type.endsWith('comment'));
}

/** Whether a statement imports for its effects alone, or binds names that cannot be told. */
export function importsUnseen(file: ParsedFile, item: Item): boolean {
  if (item.kind !== 'import') return false;
  if (file.language === 'ruby' || file.language === 'java' || file.language === 'c-sharp') return false;
  if (item.bound.length === 0) return true;
  if (item.bound.some((name) => name === '_' || name === '.')) return true;
  for (const node of walk(item.node)) if (node.type === 'wildcard_import') return true;
  return false;
}
