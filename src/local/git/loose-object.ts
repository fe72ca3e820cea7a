import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import type { GitObject } from './cat-file.ts';

/** Writes one object as git writes a loose one: its whole text hashed and deflated, renamed into place. Answers its id. */
export function writeLooseObject(gitDir: string, type: GitObject['type'], content: Buffer): string {
  const text = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const oid = createHash('sha1').update(text).digest('hex');
  const folder = join(gitDir, 'objects', oid.slice(0, 2));
  const path = join(folder, oid.slice(2));
  if (statSync(path, { throwIfNoEntry: false })) return oid;
  if (!statSync(folder, { throwIfNoEntry: false })) mkdirSync(folder, { recursive: true });
  const temporary = join(folder, `tmp_obj_${process.pid}_${randomBytes(6).toString('hex')}`);
  try {
    writeFileSync(temporary, deflateSync(text, { level: 1 }), { mode: 0o444 });
    renameSync(temporary, path);
  } catch (error) {
    // What is half-written and read-only would be in the way of the next attempt.
    rmSync(temporary, { force: true });
    throw error;
  }
  return oid;
}
