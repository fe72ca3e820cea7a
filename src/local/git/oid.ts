/** "No such object": the old side of a creation, the new side of a deletion. */
export const ZERO_OID = '0'.repeat(40);

export const isOid = (text: string): boolean => /^[0-9a-f]{40}$/.test(text);
