import { createHash } from 'node:crypto';

/** A number in [0, 1) that depends on nothing but the seed and the text: the same question gets the same answer. */
export function roll(seed: string, text: string): number {
  const digest = createHash('sha256').update(`${seed}\0${text}`).digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}
