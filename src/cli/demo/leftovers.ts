import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * Processes of this machine, other than this one, that work in a folder or were started with its path in their environment or
 * arguments. Reads /proc; elsewhere there is nothing to read and the answer is empty.
 */
export function processesOf(dir: string): number[] {
  const found: number[] = [];
  for (const name of listProc()) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    if (touches(pid, dir)) found.push(pid);
  }
  return found;
}

function listProc(): string[] {
  try {
    return readdirSync('/proc');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** A process that ends while it is looked at is no leftover. */
function touches(pid: number, dir: string): boolean {
  const read = (what: () => string) => {
    try {
      return what();
    } catch {
      return '';
    }
  };
  if (/^State:\s+Z/m.test(read(() => readFileSync(`/proc/${pid}/status`, 'utf8')))) return false;
  return (
    read(() => readlinkSync(`/proc/${pid}/cwd`)).startsWith(dir) ||
    read(() => readFileSync(`/proc/${pid}/environ`, 'utf8')).includes(dir) ||
    read(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')).includes(dir)
  );
}
