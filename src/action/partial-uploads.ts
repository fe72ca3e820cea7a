import { join } from 'node:path';
import type { Clock } from '../host/clock.ts';
import type { ArtifactStore } from '../worker/artifact-store.ts';
import { uploadWithRetries } from '../worker/upload.ts';

/** Between two uploads: a job may have no more than some hundred artifacts, and a lost runner must not lose much. */
const gapMs = 5 * 60_000;

export interface PartialUploads {
  /** A partial that was written; it is uploaded with others, now or soon. */
  add(file: string): void;
  /** Uploads what is left and these files, too. False when an upload failed. */
  finish(files: readonly string[]): Promise<boolean>;
}

/** Hands partials to the run's artifacts while it goes on: a few at a time, each once, under numbered names. */
export function partialUploads(
  artifacts: ArtifactStore,
  folder: string,
  name: string,
  clock: Clock,
): PartialUploads {
  let waiting: string[] = [];
  let count = 0;
  let last = clock.now();
  let isWhole = true;
  let uploading: Promise<void> = Promise.resolve();
  const upload = (files: readonly string[]) => {
    if (files.length === 0) return;
    count += 1;
    const artifact = { name: `${name}-${count}`, files: files.map((file) => join(folder, file)), folder };
    uploading = uploading.then(async () => {
      if (!(await uploadWithRetries(artifacts, artifact, clock))) isWhole = false;
    });
  };
  const flush = (more: readonly string[]) => {
    upload([...waiting, ...more]);
    waiting = [];
    last = clock.now();
  };
  return {
    add: (file) => {
      waiting.push(file);
      if (clock.now() - last >= gapMs) flush([]);
    },
    finish: async (files) => {
      flush(files);
      await uploading;
      return isWhole;
    },
  };
}
