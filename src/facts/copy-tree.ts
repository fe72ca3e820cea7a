import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Copies a file or folder with modes, times and links as they are; `to` must not exist. The system's own program: many times
 * faster for a hundred thousand small files, and it shares blocks where the file system can.
 */
export async function copyTree(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', '--', from, to]);
}
