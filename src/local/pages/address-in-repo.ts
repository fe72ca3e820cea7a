import { posix } from 'node:path';
import { links } from './links.ts';
import type { Surroundings } from './markdown.ts';

/**
 * A relative address in a text means a file of the repository, seen from the text's folder; one with a leading slash starts at the
 * root. Others stay as they are. Null when it leads out of the repository.
 */
export function addressInRepo(address: string, { repo, rev, folder = '' }: Surroundings): string | null {
  if (/^(?:https?:|[#?])/i.test(address)) return address;
  const [, path = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(address) ?? [];
  const whole = posix.normalize(posix.join(path.startsWith('/') ? '' : folder, decoded(path)));
  if (whole.startsWith('..')) return null;
  return links.blob(repo, rev ?? repo.defaultBranch, whole.replace(/^\.?\/+|\/+$/g, '')) + rest;
}

/** Addresses come encoded; one that is not well encoded is taken as a name. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
