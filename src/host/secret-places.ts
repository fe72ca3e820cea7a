import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface Place {
  readonly path: string;
  readonly kind: 'folder' | 'file';
}

/** Where tools keep credentials below a home folder. */
const belowHome = [
  '.ssh',
  '.aws',
  '.azure',
  '.gnupg',
  '.kube',
  '.docker',
  '.claude',
  '.claude.json',
  '.config/gh',
  '.local/share/keyrings',
  '.config/gcloud',
  '.config/git/credentials',
  '.git-credentials',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.cargo/credentials',
  '.cargo/credentials.toml',
];

/** Files by which a self-hosted runner proves who it is, in its installation folder. */
const belowRunner = ['.credentials', '.credentials_rsaparams', '.runner', '.env'];

/** The places that exist below these homes and runner folders and that no child needs to see. */
export function secretPlaces(homes: readonly string[], runners: readonly string[]): Place[] {
  const paths = [
    ...homes.flatMap((home) => belowHome.map((name) => join(home, name))),
    ...runners.flatMap((runner) => belowRunner.map((name) => join(runner, name))),
  ];
  return paths.flatMap((path) => existingPlace(path));
}

/** One existing path as a place, or nothing. */
export function existingPlace(path: string): Place[] {
  if (!existsSync(path)) return [];
  return [{ path, kind: statSync(path).isDirectory() ? 'folder' : 'file' }];
}
