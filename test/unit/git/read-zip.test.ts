import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { crc32Of } from '../../../src/git/crc32.ts';
import { readZip } from '../../../src/git/read-zip.ts';

interface Part {
  name: string;
  content: Buffer;
  localName?: string;
  mode?: number;
  flags?: number;
  method?: number;
  size?: number;
  at?: number;
}

/** An archive written by hand, as wrong as the parts say. */
function zip(parts: readonly Part[], tail = Buffer.alloc(0)): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const part of parts) {
    const method = part.method ?? 8;
    const packed = method === 8 ? deflateRawSync(part.content) : part.content;
    const localName = Buffer.from(part.localName ?? part.name);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(method, 8);
    local.writeUInt16LE(localName.length, 26);
    const name = Buffer.from(part.name);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(part.flags ?? 0, 8);
    central.writeUInt16LE(method, 10);
    central.writeUInt32LE(crc32Of(part.content), 16);
    central.writeUInt32LE(packed.length, 20);
    central.writeUInt32LE(part.size ?? part.content.length, 24);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt32LE(((part.mode ?? 0) << 16) >>> 0, 38);
    central.writeUInt32LE(part.at ?? at, 42);
    directory.push(central, name);
    bodies.push(local, localName, packed);
    at += local.length + localName.length + packed.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...bodies, index, end, tail]);
}

const text = Buffer.from('hello\n'.repeat(50));

describe('an archive', () => {
  it('gives its files, packed or stored, and passes over folders', async () => {
    const result = await readZip(
      zip([
        { name: 'd/', content: Buffer.alloc(0), method: 0, mode: 0o40755 },
        { name: 'd/a.txt', content: text, mode: 0o100644 },
        { name: 'b.bin', content: text, method: 0 },
        { name: 'empty', content: Buffer.alloc(0) },
      ]),
    );
    expect(result.kind === 'read' && [...result.files]).toEqual([
      ['d/a.txt', text],
      ['b.bin', text],
      ['empty', Buffer.alloc(0)],
    ]);
  });

  it.each<[string, Buffer, string]>([
    ['no archive', Buffer.from('hello'), 'no zip archive'],
    ['something after its end', zip([{ name: 'a', content: text }], Buffer.from('x')), 'no zip archive'],
    ['a name that climbs', zip([{ name: '../a', content: text }]), 'a name that leads elsewhere'],
    ['an absolute name', zip([{ name: '/a', content: text }]), 'a name that leads elsewhere'],
    ['a drive', zip([{ name: 'C:a', content: text }]), 'a name that leads elsewhere'],
    ['a backslash', zip([{ name: 'a\\b', content: text }]), 'a name that leads elsewhere'],
    ['a symlink', zip([{ name: 'a', content: text, mode: 0o120777 }]), 'no plain file: a'],
    ['a password', zip([{ name: 'a', content: text, flags: 1 }]), 'encrypted'],
    ['an unknown method', zip([{ name: 'a', content: text, method: 14 }]), 'an unknown method for a'],
    [
      'two names for one entry',
      zip([{ name: 'a', localName: 'b', content: text }]),
      'an entry with two names',
    ],
    ['a size that is too small', zip([{ name: 'a', content: text, size: 3 }]), 'damaged: a'],
    ['a size that is too large', zip([{ name: 'a', content: text, size: 9999 }]), 'damaged: a'],
    ['entries outside', zip([{ name: 'a', content: text, at: 900_000 }]), 'the archive is cut off'],
    [
      'one name twice',
      zip([
        { name: 'a', content: text },
        { name: 'A', content: text },
      ]),
      'one name twice',
    ],
    [
      'entries that overlap',
      zip([
        { name: 'a', content: text },
        { name: 'b', content: text, at: 0 },
      ]),
      'entries that overlap',
    ],
  ])('with %s is refused', async (_what, archive, detail) => {
    expect(await readZip(archive)).toEqual({ kind: 'refused', detail });
  });

  it('is refused before it is unpacked when it is more than its limits', async () => {
    const bomb = zip([{ name: 'zeros', content: Buffer.alloc(20_000_000) }]);
    expect(bomb.length).toBeLessThan(30_000);
    expect(await readZip(bomb, { fileBytes: 1_000_000 })).toEqual({
      kind: 'refused',
      detail: 'a file is too large',
    });
    const liar = zip([{ name: 'zeros', content: Buffer.alloc(20_000_000), size: 10 }]);
    expect(await readZip(liar, { fileBytes: 1_000_000 })).toEqual({
      kind: 'refused',
      detail: 'damaged: zeros',
    });
    const many = Array.from({ length: 5 }, (_, index) => ({ name: `f${index}`, content: text }));
    expect(await readZip(zip(many), { entries: 4 })).toMatchObject({ detail: 'too many entries' });
    expect(await readZip(zip(many), { totalBytes: 1000 })).toMatchObject({ detail: 'too large altogether' });
    expect(await readZip(zip(many), { archiveBytes: 100 })).toMatchObject({
      detail: 'the archive is too large',
    });
  });

  it('is refused, never a fault, wherever it is cut off or damaged', async () => {
    const whole = zip([{ name: 'a', content: text }]);
    for (let length = 0; length < whole.length; length += 1) {
      expect((await readZip(whole.subarray(0, length))).kind).toBe('refused');
    }
    for (let at = 0; at < whole.length; at += 1) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      const result = await readZip(damaged);
      if (result.kind === 'read') expect([...result.files.values()]).toEqual([text]);
    }
  });
});
