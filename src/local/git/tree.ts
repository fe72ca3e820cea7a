export interface TreeEntry {
  /** Six octal digits. */
  readonly mode: string;
  readonly name: string;
  readonly oid: string;
}

/** Entries of a tree object's content, in git's order. */
export function parseTree(content: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const nul = content.indexOf(0, space);
    entries.push({
      mode: content.toString('latin1', at, space).padStart(6, '0'),
      name: content.toString('utf8', space + 1, nul),
      oid: content.toString('hex', nul + 1, nul + 21),
    });
    at = nul + 21;
  }
  return entries;
}
