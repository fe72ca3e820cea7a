/** Deeper documents are refused, as GitHub's own parser does: what walks a value calls itself for each level. */
const MAX_DEPTH = 100;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The value of a body, `{}` for an empty one, or undefined for what is no JSON or nested too deep. */
export function parseJson(raw: Buffer): unknown {
  if (raw.length === 0) return {};
  if (isDeep(raw)) return undefined;
  try {
    return JSON.parse(raw.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function isDeep(raw: Buffer): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < raw.length; at += 1) {
    const byte = raw[at]!;
    if (quoted) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) quoted = false;
    } else if (byte === QUOTE) quoted = true;
    // `[` and `{` differ from `]` and `}` by two, and from each other by the bit of the case.
    else if ((byte | 0x20) === 0x7b) depth += 1;
    else if ((byte | 0x20) === 0x7d) depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
