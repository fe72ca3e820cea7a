/** One pkt-line: four hex digits of length, then the payload. */
export function pkt(payload: string | Buffer): Buffer {
  const bytes = Buffer.from(payload as string);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
}

export const FLUSH = Buffer.from('0000');

/** Reads pkt-lines up to the first flush. `rest` is what follows it. Null for a malformed length. */
export function readPkts(data: Buffer): { lines: Buffer[]; rest: Buffer } | null {
  const lines: Buffer[] = [];
  let at = 0;
  for (;;) {
    const digits = data.toString('latin1', at, at + 4);
    const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : 1;
    if ((length > 0 && length < 4) || at + Math.max(length, 4) > data.length) return null;
    if (length === 0) return { lines, rest: data.subarray(at + 4) };
    lines.push(data.subarray(at + 4, at + length));
    at += length;
  }
}

/** Wraps bytes for one side-band (1 data, 2 progress), cut to the protocol's packet size. */
export function sideband(band: 1 | 2, payload: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < payload.length; at += 65_000)
    parts.push(pkt(Buffer.concat([Buffer.from([band]), payload.subarray(at, at + 65_000)])));
  return Buffer.concat(parts);
}
