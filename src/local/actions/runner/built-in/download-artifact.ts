import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import picomatch from 'picomatch';
import type { Artifact } from '../../artifacts/artifact-store.ts';
import { readZip } from '../../artifacts/zip-read.ts';
import { type BuiltInAction, failed } from './built-in-action.ts';

const MAX_UNPACKED = 1024 * 1024 * 1024;

async function unpack(artifact: Artifact, directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const entries =
    artifact.contentType === 'application/zip'
      ? readZip(artifact.data, MAX_UNPACKED)
      : [{ path: artifact.name, data: artifact.data }];
  for (const entry of entries) {
    const path = join(directory, entry.path);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, entry.data);
  }
}

/** Jobs that are not run again do not upload again: of each name, what the latest attempt left. */
function newestByName(artifacts: readonly Artifact[]): Artifact[] {
  return artifacts.filter((one, at) => artifacts.findIndex((other) => other.name === one.name) === at);
}

/** Stand-in for `actions/download-artifact`, within one run: one by name, or all, each in a directory of its name. */
export const downloadArtifact: BuiltInAction = {
  inputs: { name: '', path: '.', pattern: '', 'merge-multiple': 'false' },
  main: async (call) => {
    const { world, inputs } = call;
    const { job, services } = world;
    const own = newestByName(
      services.artifacts.ofRun(job.run).filter((artifact) => artifact.attempt <= job.attempt),
    );
    const name = inputs.name ?? '';
    const wanted =
      name === '' ? picomatch(inputs.pattern || '**', { dot: true }) : (one: string) => one === name;
    const found = own.filter((artifact) => wanted(artifact.name));
    if (name !== '' && found.length === 0)
      return failed(call, `Unable to download artifact(s): Artifact not found for name: ${name}`);
    const target = resolve(world.paths.workspace, inputs.path ?? '.');
    const flat = name !== '' || inputs['merge-multiple'] === 'true';
    for (const artifact of found) await unpack(artifact, flat ? target : join(target, artifact.name));
    world.log.line(`Total of ${found.length} artifact(s) downloaded`);
    return { outcome: 'success', outputs: { 'download-path': target } };
  },
};
