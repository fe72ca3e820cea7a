import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

/**
 * A pack of a 64 KiB blob and `levels` offset deltas, each of which copies as much of its base as one instruction can, 100
 * times: a few hundred bytes that ask for gigabytes.
 */
export function deltaBomb(levels: number): Buffer {
  const objects: Buffer[] = [entry(3, Buffer.alloc(65_536), Buffer.alloc(0))];
  let size = 65_536;
  let previous = objects[0]?.length ?? 0;
  for (let level = 0; level < levels; level += 1) {
    const piece = Math.min(size, 0xffffff);
    const copy = Buffer.from([0xf0, piece & 0xff, (piece >> 8) & 0xff, piece >> 16]);
    const delta = Buffer.concat([varint(size), varint(piece * 100), ...Array<Buffer>(100).fill(copy)]);
    const object = entry(6, delta, offset(previous));
    objects.push(object);
    previous = object.length;
    size = piece * 100;
  }
  const head = Buffer.alloc(12);
  head.write('PACK', 'latin1');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(objects.length, 8);
  const body = Buffer.concat([head, ...objects]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

function entry(type: number, content: Buffer, base: Buffer): Buffer {
  const bytes: number[] = [];
  let rest = Math.floor(content.length / 16);
  let byte = (type << 4) | (content.length % 16);
  while (rest > 0) {
    bytes.push(byte | 0x80);
    byte = rest % 128;
    rest = Math.floor(rest / 128);
  }
  bytes.push(byte);
  return Buffer.concat([Buffer.from(bytes), base, deflateSync(content)]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

function offset(distance: number): Buffer {
  const bytes = [distance % 128];
  for (let rest = Math.floor(distance / 128); rest > 0; rest = Math.floor(rest / 128)) {
    rest -= 1;
    bytes.unshift((rest % 128) | 0x80);
  }
  return Buffer.from(bytes);
}
