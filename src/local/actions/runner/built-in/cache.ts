import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import picomatch from 'picomatch';
import { isCacheKey } from '../../caches/cache-store.ts';
import type { JobWorld, StepEnd } from '../job-world.ts';
import { runProcess } from '../run-process.ts';
import { type BuiltInAction, type BuiltInCall, failed } from './built-in-action.ts';

const GLOB = /[*?[\]{}]/;
const linesOf = (text: string | undefined): string[] =>
  (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const ended = (outputs: Readonly<Record<string, string>> = {}): StepEnd => ({ outcome: 'success', outputs });

/** Paths count as they are written: other paths are another cache. */
function versionOf(call: BuiltInCall): string {
  return createHash('sha256')
    .update([...linesOf(call.inputs.path), 'gzip'].join('|'))
    .digest('hex');
}

function absolute(world: JobWorld, path: string): string {
  return path === '~' || path.startsWith('~/')
    ? join(world.paths.home, path.slice(1))
    : resolve(world.paths.workspace, path);
}

/** What a pattern finds below a folder; a folder that it names is taken as a whole. */
async function matching(folder: string, matches: (path: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (matches(path)) found.push(path);
    else if (entry.isDirectory() && entry.name !== '.git') found.push(...(await matching(path, matches)));
  }
  return found;
}

/** The paths to pack, relative to the workspace: a job elsewhere unpacks them at the same places. */
async function pathsToPack(call: BuiltInCall): Promise<string[]> {
  const { world } = call;
  const lines = linesOf(call.inputs.path);
  const negative = lines.filter((line) => line.startsWith('!')).map((line) => absolute(world, line.slice(1)));
  const excluded = picomatch(negative.length === 0 ? ['\0'] : negative, { dot: true });
  const found: string[] = [];
  for (const line of lines.filter((one) => !one.startsWith('!'))) {
    const path = absolute(world, line);
    if (GLOB.test(line))
      found.push(...(await matching(world.paths.workspace, picomatch(path, { dot: true }))));
    else if ((await stat(path).catch(() => null)) !== null) found.push(path);
  }
  const kept = found.filter((path) => !excluded(path));
  return [...new Set(kept)].map((path) => relative(world.paths.workspace, path) || '.');
}

function tar(call: BuiltInCall, args: readonly string[]): Promise<StepEnd> {
  return runProcess(call.world, {
    label: call.label,
    argv: ['tar', '-P', ...args],
    cwd: call.world.paths.workspace,
    env: call.env,
    timeout: call.timeout,
    state: new Map(),
  });
}

function scratch(call: BuiltInCall): string {
  call.world.commandFiles += 1;
  return join(call.world.paths.temp, `cache-${call.world.commandFiles}.tgz`);
}

async function restore(call: BuiltInCall): Promise<StepEnd> {
  const { world, inputs, state } = call;
  const key = inputs.key ?? '';
  if (!isCacheKey(key))
    return failed(
      call,
      `Key Validation Error: ${key} cannot be empty, longer than 512 characters or hold commas.`,
    );
  state.set('key', key);
  const restoreKeys = linesOf(inputs['restore-keys']);
  const entry = world.services.caches.restore(key, restoreKeys, versionOf(call));
  if (entry === null) {
    const message = `Cache not found for input keys: ${[key, ...restoreKeys].join(', ')}`;
    if (inputs['fail-on-cache-miss'] === 'true')
      return failed(call, `Failed to restore cache entry. Exiting as fail-on-cache-miss is set. ${message}`);
    world.log.line(message);
    return ended({ 'cache-primary-key': key, 'cache-hit': '' });
  }
  const outputs = {
    'cache-primary-key': key,
    'cache-matched-key': entry.key,
    'cache-hit': String(entry.key === key),
  };
  state.set('matched', entry.key);
  if (inputs['lookup-only'] === 'true') {
    world.log.line(`Cache found and can be restored from key: ${entry.key}`);
    return ended(outputs);
  }
  const archive = scratch(call);
  await writeFile(archive, entry.data);
  const unpacked = await tar(call, ['-xzf', archive]);
  await rm(archive, { force: true });
  if (unpacked.outcome !== 'success') return unpacked;
  world.log.line(`Cache restored from key: ${entry.key}`);
  return ended(outputs);
}

async function save(call: BuiltInCall, key: string): Promise<StepEnd> {
  const { world } = call;
  const paths = await pathsToPack(call);
  if (paths.length === 0) {
    world.log.line(
      '##[warning]Path Validation Error: Path(s) specified in the action for caching do(es) not exist, hence no cache is being saved.',
    );
    return ended();
  }
  const archive = scratch(call);
  await writeFile(`${archive}.list`, paths.join('\0'));
  const packed = await tar(call, [
    '-czf',
    archive,
    '--null',
    '--verbatim-files-from',
    '-T',
    `${archive}.list`,
  ]);
  if (packed.outcome !== 'success') return packed;
  const saved = world.services.caches.save(key, versionOf(call), await readFile(archive));
  await rm(archive, { force: true });
  world.log.line(
    saved
      ? `Cache saved with key: ${key}`
      : `Failed to save: Unable to reserve cache with key ${key}, another job may be creating this cache.`,
  );
  return ended();
}

const COMMON = { path: '', key: '', enableCrossOsArchive: 'false' } as const;
const RESTORE = { ...COMMON, 'restore-keys': '', 'fail-on-cache-miss': 'false', 'lookup-only': 'false' };

/** Stand-in for `actions/cache`: restores now, and saves at the end of a successful job when the key was not there. */
export const cache: BuiltInAction = {
  inputs: { ...RESTORE, 'upload-chunk-size': '', 'save-always': 'false' },
  main: restore,
  postIf: 'success()',
  post: async (call) => {
    const key = call.state.get('key');
    if (key === undefined) return ended();
    if (call.state.get('matched') !== key) return save(call, key);
    call.world.log.line(`Cache hit occurred on the primary key ${key}, not saving cache.`);
    return ended();
  },
};

/** Stand-in for `actions/cache/restore`. */
export const restoreCache: BuiltInAction = { inputs: RESTORE, main: restore };

/** Stand-in for `actions/cache/save`. */
export const saveCache: BuiltInAction = {
  inputs: { ...COMMON, 'upload-chunk-size': '' },
  main: async (call) => {
    const key = call.inputs.key ?? '';
    return isCacheKey(key) ? save(call, key) : failed(call, `Key Validation Error: ${key}`);
  },
};
