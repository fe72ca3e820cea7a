import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Path of a Chromium on PATH. Throws with the way to get one. */
export function findBrowser(): string {
  for (const folder of (process.env.PATH ?? '').split(delimiter))
    for (const name of NAMES) {
      const path = join(folder, name);
      if (isExecutable(path)) return path;
    }
  throw new Error(
    `No browser on PATH (${NAMES.join(', ')}). Install one, on Debian with "apt-get install -y chromium".`,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not there or not ours to run: the next one.
    return false;
  }
}
