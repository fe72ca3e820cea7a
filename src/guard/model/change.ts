import type { Oid } from '../../domain/ids.ts';

/** File modes that git writes: file, executable file, symbolic link, submodule. */
export type FileMode = '100644' | '100755' | '120000' | '160000';

export interface TreeEntry {
  readonly mode: FileMode;
  readonly oid: Oid;
}

/** One side of a change: every path of its tree. */
export interface TreeSide {
  readonly tree: Oid;
  readonly entries: ReadonlyMap<string, TreeEntry>;
}

/** A file on one side. `bytes` is null for submodules; `text` is null unless the bytes are UTF-8 without NUL. */
export interface FileSide extends TreeEntry {
  readonly bytes: Uint8Array | null;
  readonly text: string | null;
}

/** A path whose mode or object differs between both trees. At least one side is there. */
export interface FileChange {
  readonly path: string;
  readonly base: FileSide | null;
  readonly head: FileSide | null;
}

/** What could be seen but not read; each of these is a refusal, not a gap. `path` is escaped to ASCII. */
export interface Unreadable {
  readonly path: string;
  readonly why: string;
}

/** A change between two trees as plain data, read from git objects. `context` holds unchanged files of the head that rules look at. */
export interface Change {
  readonly base: TreeSide;
  readonly head: TreeSide;
  readonly changes: readonly FileChange[];
  readonly context: ReadonlyMap<string, FileSide>;
  readonly unreadable: readonly Unreadable[];
}

export type ReadOutcome =
  | { readonly kind: 'read'; readonly change: Change }
  | { readonly kind: 'could-not-judge'; readonly reason: string };

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text of a blob as it stands, a byte order mark included; null for anything that holds NUL or is not UTF-8. */
export function decodeText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** A file side from its bytes (null for a submodule). */
export function fileSide(entry: TreeEntry, bytes: Uint8Array | null): FileSide {
  return { ...entry, bytes, text: bytes === null ? null : decodeText(bytes) };
}
