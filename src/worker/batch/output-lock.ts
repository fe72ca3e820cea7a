import { createServer } from 'node:net';
import { digestBytes } from '../../domain/digest.ts';
import { CcdError } from '../../domain/errors.ts';

export interface OutputLock {
  /** Name by which processes of any run on this folder are found. */
  readonly name: string;
  release(): Promise<void>;
}

/**
 * Keeps a second run out of the same output folder: it would do the same items twice. The lock is a name of the kernel's, so it
 * ends with the process however that ends; it holds on one machine. `folder` is the real path. Throws CcdError `batch.in-use`
 * (operator).
 */
export async function lockOutput(folder: string): Promise<OutputLock> {
  const name = digestBytes(folder).slice('sha256:'.length, 'sha256:'.length + 32);
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(inUse(folder, cause)));
    server.listen(`\0ccd-batch-${name}`, resolve);
  });
  server.unref();
  return { name, release: () => new Promise((resolve) => server.close(() => resolve())) };
}

function inUse(folder: string, cause: Error): CcdError {
  return new CcdError({
    code: 'batch.in-use',
    message: `Another run works in ${folder}.`,
    remedy: 'Wait for its end, or name another output folder.',
    audience: 'operator',
    cause,
  });
}
