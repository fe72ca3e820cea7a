/** Global node ids in GitHub's shape (`I_…`): opaque to clients, kind and database id to us. */
export function nodeId(prefix: string, id: number): string {
  return `${prefix}_${Buffer.from(`ccd:${id}`).toString('base64url')}`;
}

/** Prefix and database id of a node id that was made here, or null. */
export function parseNodeId(text: string): { prefix: string; id: number } | null {
  const match = /^([A-Z]+)_([A-Za-z0-9_-]+)$/.exec(text);
  const id = match && /^ccd:(\d+)$/.exec(Buffer.from(match[2]!, 'base64url').toString('utf8'));
  return id ? { prefix: match[1]!, id: Number(id[1]) } : null;
}
