import { type Oid, oidSchema } from '../domain/ids.ts';
import type { Clone } from './bare-clone.ts';
import { gitFault } from './run-git.ts';

/** A side of a changed path; null where the path is not there. Gitlinks and symlinks are told by their mode. */
export interface ChangeSide {
  readonly mode: string;
  readonly oid: Oid;
}

export interface PathChange {
  /** Path from the root. */
  readonly path: string;
  /** False when the path's bytes are not UTF-8, so that `path` is only an approximation. */
  readonly utf8: boolean;
  readonly before: ChangeSide | null;
  readonly after: ChangeSide | null;
}

/** Every path in which two trees or commits differ, in git's order, renames shown as removal and addition. */
export async function netChange(clone: Clone, from: Oid, to: Oid): Promise<readonly PathChange[]> {
  const call = {
    args: [
      'diff-tree',
      '-r',
      '-z',
      '--raw',
      '--no-renames',
      '--no-abbrev',
      '--no-ext-diff',
      '--no-textconv',
      oidSchema.parse(from),
      oidSchema.parse(to),
    ],
  };
  const end = await clone.run(call);
  if (end.kind === 'stopped' || end.code !== 0) throw gitFault(call, end);
  return parseRawDiff(end.stdout);
}

/** Entries of a raw diff that was printed with `-z --no-abbrev --no-renames`. */
export function parseRawDiff(bytes: Buffer): readonly PathChange[] {
  const parts = splitAtNul(bytes);
  const changes: PathChange[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const change = readChange(parts[at]?.toString('latin1') ?? '', parts[at + 1] ?? Buffer.alloc(0));
    if (change !== null) changes.push(change);
  }
  return changes;
}

/** Parts of a text that git ended with NUL each. */
export function splitAtNul(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let at = 0;
  for (let nul = bytes.indexOf(0, at); nul >= 0; nul = bytes.indexOf(0, at)) {
    parts.push(bytes.subarray(at, nul));
    at = nul + 1;
  }
  return parts;
}

/** `:<mode> <mode> <oid> <oid> <status>`; null for anything else. */
export function readChange(head: string, rawPath: Buffer): PathChange | null {
  const match = /^:(\d{6}) (\d{6}) ([0-9a-f]{40}) ([0-9a-f]{40}) [A-Z]\d*$/.exec(head.trim());
  if (match === null) return null;
  const [, modeBefore = '', modeAfter = '', before = '', after = ''] = match;
  const path = rawPath.toString('utf8');
  return {
    path,
    utf8: Buffer.from(path, 'utf8').equals(rawPath),
    before: side(modeBefore, before),
    after: side(modeAfter, after),
  };
}

function side(mode: string, oid: Oid): ChangeSide | null {
  return mode === '000000' ? null : { mode: mode.replace(/^0+/, ''), oid };
}
