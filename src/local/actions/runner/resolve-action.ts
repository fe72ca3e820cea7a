import { existsSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { type ActionManifest, readAction } from '../workflow/parse-action.ts';
import { tooMuchYaml } from '../workflow/yaml-bounds.ts';
import type { BuiltInAction } from './built-in/built-in-action.ts';
import { BUILT_IN_ACTIONS } from './built-in/built-in-actions.ts';
import { readJobFile } from './read-job-file.ts';

/** What stands behind a step's `uses`. */
export type ResolvedAction =
  | { readonly kind: 'built-in'; readonly label: string; readonly action: BuiltInAction }
  | {
      readonly kind: 'directory';
      readonly label: string;
      readonly directory: string;
      readonly manifest: ActionManifest;
      readonly repository: string;
      readonly ref: string;
    }
  /** Below the workspace: can only be read once a checkout has put it there. */
  | { readonly kind: 'local'; readonly label: string; readonly path: string }
  | { readonly kind: 'refused'; readonly problem: string };

/** Reads the manifest of an action that lies in a directory. */
async function readActionDirectory(
  label: string,
  directory: string,
  origin: { readonly repository: string; readonly ref: string },
): Promise<ResolvedAction> {
  const file = ['action.yml', 'action.yaml']
    .map((name) => join(directory, name))
    .find((path) => existsSync(path));
  if (file === undefined) {
    const problem = `Can't find 'action.yml' or 'action.yaml' under '${directory}' (${label}). Did you forget to run actions/checkout before running your local action?`;
    return { kind: 'refused', problem };
  }
  const text = await readJobFile(file);
  const excess = text === null ? 'it is no plain file' : tooMuchYaml(text);
  if (text === null || excess !== null) return { kind: 'refused', problem: `${label}: ${excess}` };
  const reading = readAction(label, text);
  if (reading.kind === 'unsupported') return { kind: 'refused', problem: reading.problem };
  return { kind: 'directory', label, directory, manifest: reading.manifest, ...origin };
}

/** Finds out what a `uses` stands for. Nothing is downloaded: an action that is not mapped is refused by name. */
export async function resolveAction(
  uses: string,
  actionMap: Readonly<Record<string, string>>,
): Promise<ResolvedAction> {
  if (uses.startsWith('./') || uses === '.') return { kind: 'local', label: uses, path: uses };
  if (uses.startsWith('docker://')) {
    return { kind: 'refused', problem: `${uses}: container actions are not supported by the local runner` };
  }
  const [name = '', ref = ''] = uses.split('@');
  const mapped = Object.entries(actionMap).find(([key]) => key.toLowerCase() === name.toLowerCase());
  if (mapped !== undefined)
    return readActionDirectory(uses, resolve(mapped[1]), { repository: mapped[0], ref });
  const [owner, repo, ...below] = name.split('/');
  const parent = Object.entries(actionMap).find(
    ([key]) => key.toLowerCase() === `${owner}/${repo}`.toLowerCase(),
  );
  if (parent !== undefined && below.length > 0) {
    return readActionDirectory(uses, join(resolve(parent[1]), ...below), { repository: parent[0], ref });
  }
  const builtIn = BUILT_IN_ACTIONS[name.toLowerCase()];
  if (builtIn !== undefined) return { kind: 'built-in', label: uses, action: builtIn };
  return {
    kind: 'refused',
    problem: `${uses}: the local runner knows no such action; map it in its configuration`,
  };
}

/** Resolves a `./path` action inside the workspace; a path that leads out of it is refused. */
export async function resolveLocalAction(
  path: string,
  workspace: string,
  origin: { readonly repository: string; readonly ref: string },
): Promise<ResolvedAction> {
  const directory = resolve(workspace, path);
  if (directory !== workspace && !directory.startsWith(workspace + sep)) {
    return { kind: 'refused', problem: `${path}: leads out of the workspace` };
  }
  return readActionDirectory(path, directory, origin);
}
