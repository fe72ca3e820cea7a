import { z } from 'zod';
import type { TreeEntry } from '../git/objects.ts';
import type { ScriptsOf } from '../guard/facts/resolve-command.ts';
import type { BlobSource } from './blob-source.ts';

const manifestSchema = z.object({ scripts: z.record(z.string(), z.string()).optional() });
const maxManifests = 500;

/** The scripts of each `package.json` of a tree, by folder. A manifest that cannot be read has none. */
export async function scriptsIn(entries: readonly TreeEntry[], blobs: BlobSource): Promise<ScriptsOf> {
  const manifests = entries.filter(
    ({ path, kind }) =>
      kind === 'blob' && /(?:^|\/)package\.json$/.test(path) && !path.includes('node_modules/'),
  );
  const known = new Map<string, Record<string, string>>();
  for (const { path, oid } of manifests.slice(0, maxManifests)) {
    const scripts = readScripts((await blobs.read(oid)).toString('utf8'));
    if (scripts !== null) known.set(path.slice(0, -'/package.json'.length), scripts);
  }
  return (folder) => known.get(folder) ?? null;
}

function readScripts(text: string): Record<string, string> | null {
  try {
    return manifestSchema.parse(JSON.parse(text)).scripts ?? {};
  } catch {
    return null;
  }
}
