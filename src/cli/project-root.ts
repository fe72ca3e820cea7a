import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the checkout: two folders above this file, and above the bundle `dist/cli/ccd.mjs` too. */
export const projectRoot = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
