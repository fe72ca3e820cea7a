import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularFile } from '../../facts/read-regular-file.ts';
import { writeFileAtomic } from '../../host/files.ts';
import {
  type Partial,
  type PartialName,
  parsePartialName,
  partialName,
  partialText,
  readPartial,
} from './partial.ts';
import type { StoredPartial } from './scan.ts';

/** Larger than any list of results should be; a file that is larger still is not taken into memory. */
const largestPartial = 256 * 1024 * 1024;

/** What lies in the output folder of one phase. */
export interface StoredPhase {
  readonly stored: readonly StoredPartial[];
  /** Files that could not be read, each with the reason: they count for nothing. */
  readonly corrupt: readonly { readonly file: string; readonly reason: string }[];
  /** Files of a later version of ccd. */
  readonly newer: readonly string[];
}

/** The partials of a pipeline, in one folder. There is no other memory between two runs. */
export class PartialStore {
  readonly folder: string;
  readonly #now: () => number;
  #lastEpoch = 0;

  constructor(folder: string, now: () => number) {
    this.folder = folder;
    this.#now = now;
  }

  async read(phase: string, resultKey: string): Promise<StoredPhase> {
    const stored: StoredPartial[] = [];
    const corrupt: { file: string; reason: string }[] = [];
    const newer: string[] = [];
    for (const name of await this.#names(phase)) {
      const file = partialName(name);
      const text = await readRegularFile(join(this.folder, file), largestPartial);
      const read = text === null ? null : readPartial(text, resultKey);
      if (read === null) corrupt.push({ file, reason: 'it is no readable file' });
      else if (read.kind === 'corrupt') corrupt.push({ file, reason: read.reason });
      else if (read.kind === 'newer') newer.push(file);
      else stored.push({ file, name, partial: read.partial });
    }
    return { stored, corrupt, newer };
  }

  /** Writes one partial, whole or not at all, under a name that sorts after all earlier ones. Returns the file's name. */
  async write(place: Omit<PartialName, 'epoch'>, resultKey: string, partial: Partial): Promise<string> {
    // Also when the clock was set back, a later partial is the newer one.
    this.#lastEpoch = Math.max(this.#now(), this.#lastEpoch + 1);
    const file = partialName({ ...place, epoch: this.#lastEpoch });
    await writeFileAtomic(join(this.folder, file), partialText(resultKey, partial));
    return file;
  }

  async clear(phase: string): Promise<void> {
    for (const name of await this.#names(phase))
      await rm(join(this.folder, partialName(name)), { force: true });
  }

  async #names(phase: string): Promise<PartialName[]> {
    if (!existsSync(this.folder)) return [];
    const names = (await readdir(this.folder)).flatMap((file) => parsePartialName(file) ?? []);
    for (const { epoch } of names) this.#lastEpoch = Math.max(this.#lastEpoch, epoch);
    return names.filter((name) => name.phase === phase);
  }
}
