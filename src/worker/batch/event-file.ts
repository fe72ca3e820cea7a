import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type BatchEvent, batchEventLine } from './batch-event.ts';

/**
 * Appends events to a file, each as one whole line at once. A file that cannot be written is told once and ends nothing.
 */
export function openEventFile(
  path: string,
  now: () => number,
  onFault: (reason: string) => void,
): (event: BatchEvent) => void {
  let isBroken = false;
  const attempt = (write: () => void) => {
    if (isBroken) return;
    try {
      write();
    } catch (error) {
      isBroken = true;
      onFault((error as NodeJS.ErrnoException).code ?? 'unknown reason');
    }
  };
  attempt(() => mkdirSync(dirname(path), { recursive: true }));
  return (event) => attempt(() => appendFileSync(path, batchEventLine(event, now())));
}
