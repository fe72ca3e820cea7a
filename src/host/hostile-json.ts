/** Far more than any manifest or report of ours needs. */
const mostJsonBytes = 32 * 1024 * 1024;
const deepestJson = 100;

/** JSON that somebody else wrote; null when it is none, or is made to use up the memory of its reader. */
export function parseHostileJson(bytes: Uint8Array, mostBytes: number = mostJsonBytes): unknown {
  if (bytes.length > mostBytes || isTooDeep(bytes)) return null;
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Each level costs the reader far more memory than the one byte that opens it. Brackets within texts are none. */
function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (inText) {
      if (byte === 0x5c) at += 1;
      else if (byte === 0x22) inText = false;
    } else if (byte === 0x22) inText = true;
    else if (byte === 0x5b || byte === 0x7b) depth += 1;
    else if (byte === 0x5d || byte === 0x7d) depth -= 1;
    if (depth > deepestJson) return true;
  }
  return false;
}
