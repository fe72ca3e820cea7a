import { readFileSync, realpathSync, statSync } from 'node:fs';

/**
 * Files of the machine's Unix sockets that programs listen on, such as those of Docker, systemd and key agents. A read-only
 * file system does not keep anybody from connecting, and what answers runs outside of every sandbox.
 */
export function listeningSockets(): string[] {
  const paths = socketTable().flatMap((line) => {
    // Number, references, protocol, flags, type, state, inode, path; flag 0x10000 says that it accepts connections.
    const match = /^\S+ \S+ \S+ (\S+) (\S+) \S+ +\d+ (\/.+)$/.exec(line);
    if (match === null) return [];
    const [, flags = '', type = '', path = ''] = match;
    const isStream = type !== '0002';
    return isStream && (Number.parseInt(flags, 16) & 0x10000) === 0 ? [] : existingSocket(path);
  });
  return [...new Set(paths)].sort();
}

function socketTable(): string[] {
  try {
    return readFileSync('/proc/net/unix', 'utf8').split('\n');
  } catch {
    // No /proc, or none for us: nothing can be listed.
    return [];
  }
}

function existingSocket(path: string): string[] {
  try {
    const real = realpathSync(path);
    return statSync(real).isSocket() ? [real] : [];
  } catch {
    // Another mount namespace's, gone, or not to be reached by this user and so not by its children.
    return [];
  }
}
