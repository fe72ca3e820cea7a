import { CcdError } from '../domain/errors.ts';
import { type Oid, oidSchema } from '../domain/ids.ts';

export type NodeKind = 'blob' | 'tree' | 'symlink' | 'gitlink' | 'unknown';

/** One entry of one tree object. */
export interface TreeNode {
  /** As written in the tree, octal without leading zeros: 100644, 100755, 40000, 120000, 160000, or what a hostile tree says. */
  readonly mode: string;
  readonly kind: NodeKind;
  readonly oid: Oid;
  /** The name; bytes that are not UTF-8 are replaced, and `utf8` is then false. */
  readonly name: string;
  readonly utf8: boolean;
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Entries of a raw tree object, in its own order and unchecked. Throws `git.tree-malformed` when the bytes are no tree. */
export function parseTree(bytes: Buffer): readonly TreeNode[] {
  const nodes: TreeNode[] = [];
  let at = 0;
  while (at < bytes.length) {
    const blank = bytes.indexOf(0x20, at);
    const nul = blank < 0 ? -1 : bytes.indexOf(0, blank);
    if (nul < 0 || nul + 21 > bytes.length) throw malformedTree();
    const mode = bytes.toString('latin1', at, blank);
    if (!/^[0-7]{1,7}$/.test(mode)) throw malformedTree();
    const raw = bytes.subarray(blank + 1, nul);
    const oid = bytes.toString('hex', nul + 1, nul + 21);
    nodes.push({ mode, kind: kindOfMode(mode), oid, ...decodeName(raw) });
    at = nul + 21;
  }
  return nodes;
}

/** Kind of an entry by its mode; modes that git itself never writes are `unknown`. */
export function kindOfMode(mode: string): NodeKind {
  switch (mode) {
    case '100644':
    case '100755':
      return 'blob';
    case '40000':
      return 'tree';
    case '120000':
      return 'symlink';
    case '160000':
      return 'gitlink';
    default:
      return 'unknown';
  }
}

/** Raw tree object of these entries, sorted as git sorts. Throws `git.tree-malformed` for names that no tree may hold. */
export function encodeTree(nodes: readonly Pick<TreeNode, 'mode' | 'oid' | 'name'>[]): Buffer {
  const keyed = nodes.map((node) => ({
    node,
    key: Buffer.from(node.mode === '40000' ? `${node.name}/` : node.name, 'utf8'),
  }));
  keyed.sort((left, right) => Buffer.compare(left.key, right.key));
  if (new Set(nodes.map(({ name }) => name)).size !== nodes.length) throw malformedTree();
  return Buffer.concat(
    keyed.map(({ node }) => {
      if (kindOfMode(node.mode) === 'unknown' || !isPlainName(node.name)) throw malformedTree();
      const oid = Buffer.from(oidSchema.parse(node.oid), 'hex');
      return Buffer.concat([Buffer.from(`${node.mode} ${node.name}\0`, 'utf8'), oid]);
    }),
  );
}

/** A name that we write into trees ourselves. */
export function isPlainName(name: string): boolean {
  if (name === '' || name === '.' || name === '..' || name.toLowerCase() === '.git') return false;
  return !/[/\0]/.test(name) && Buffer.from(name, 'utf8').toString('utf8') === name;
}

function decodeName(raw: Buffer): { name: string; utf8: boolean } {
  try {
    return { name: strict.decode(raw), utf8: true };
  } catch {
    return { name: raw.toString('utf8'), utf8: false };
  }
}

function malformedTree(): CcdError {
  return new CcdError({
    code: 'git.tree-malformed',
    message: 'A git tree is malformed.',
    remedy: 'Look at the repository with git fsck.',
    audience: 'operator',
  });
}
