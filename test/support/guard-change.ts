import { createHash } from 'node:crypto';
import {
  type Change,
  type FileSide,
  fileSide,
  type TreeEntry,
  type TreeSide,
} from '../../src/guard/model/change.ts';
import { type CorpusCase, entryOf } from './guard-corpus.ts';

export type Tree = CorpusCase['base'];

/** A change as plain data from two trees in the corpus' form, with the object ids that git would give. */
export function changeOf(
  base: Tree,
  head: Tree,
  context?: (head: TreeSide, changed: ReadonlySet<string>) => string[],
): Change {
  const [old, now] = [sideOf(base), sideOf(head)];
  const paths = [...new Set([...old.keys(), ...now.keys()])].sort();
  const changed = paths.filter((path) => {
    const [left, right] = [old.get(path), now.get(path)];
    return left?.oid !== right?.oid || left?.mode !== right?.mode;
  });
  const headSide = treeOf(now);
  const wanted = context?.(headSide, new Set(changed)) ?? [];
  return {
    base: treeOf(old),
    head: headSide,
    changes: changed.map((path) => ({ path, base: old.get(path) ?? null, head: now.get(path) ?? null })),
    context: new Map(wanted.flatMap((path) => (now.has(path) ? [[path, now.get(path) as FileSide]] : []))),
    unreadable: [],
  };
}

function sideOf(tree: Tree): Map<string, FileSide> {
  return new Map(
    Object.entries(tree).map(([path, content]) => {
      const { mode, bytes } = entryOf(content);
      const link = mode === '160000';
      const oid = link ? bytes.toString('latin1') : sha1(`blob ${bytes.length}\0`, bytes);
      return [path, fileSide({ mode: mode as TreeEntry['mode'], oid }, link ? null : bytes)];
    }),
  );
}

function treeOf(files: ReadonlyMap<string, FileSide>): TreeSide {
  const entries = new Map([...files].map(([path, { mode, oid }]) => [path, { mode, oid }]));
  return { tree: sha1(JSON.stringify([...entries]), Buffer.alloc(0)), entries };
}

function sha1(prefix: string, bytes: Uint8Array): string {
  return createHash('sha1').update(prefix).update(bytes).digest('hex');
}
