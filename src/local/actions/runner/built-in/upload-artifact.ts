import { constants } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import picomatch from 'picomatch';
import { writeZip, type ZipSource } from '../../artifacts/zip-write.ts';
import type { StepEnd } from '../job-world.ts';
import { type BuiltInAction, type BuiltInCall, failed } from './built-in-action.ts';

const GLOB = /[*?[\]{}!]/;

/** The longest leading directory of a pattern without a wildcard in it. */
function fixedPart(pattern: string): string {
  const parts = pattern.split('/');
  const wild = parts.findIndex((part) => GLOB.test(part));
  return wild < 0 ? pattern : parts.slice(0, wild).join('/') || '.';
}

/** Plain files, links followed; not into a folder that `above` names, which a link inside it may lead back to. */
async function filesBelow(path: string, above: ReadonlySet<string> = new Set()): Promise<string[]> {
  const info = await stat(path).catch(() => null);
  if (info === null) return [];
  if (!info.isDirectory()) return info.isFile() ? [path] : [];
  const own = `${info.dev}:${info.ino}`;
  if (above.has(own)) return [];
  const names = await readdir(path);
  const within = new Set([...above, own]);
  return (await Promise.all(names.sort().map((name) => filesBelow(join(path, name), within)))).flat();
}

function isHidden(root: string, path: string): boolean {
  return relative(root, path)
    .split(sep)
    .some((part) => part.startsWith('.') && part !== '.' && part !== '..');
}

interface Found {
  readonly files: readonly string[];
  /** The folders that were named. */
  readonly roots: readonly string[];
  /** What the files are stored relative to. */
  readonly root: string;
}

/** The files that the `path` input names, lines with `!` taken out again, and the directory they are stored relative to. */
async function findFiles(workspace: string, input: string, hidden: boolean): Promise<Found> {
  const lines = input
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const positive = lines.filter((line) => !line.startsWith('!'));
  const negative = lines
    .filter((line) => line.startsWith('!'))
    .map((line) => resolve(workspace, line.slice(1)));
  const excluded = picomatch(negative.length === 0 ? ['\0'] : negative, { dot: true });
  const found = new Set<string>();
  const roots: string[] = [];
  for (const line of positive) {
    const root = resolve(workspace, fixedPart(line));
    const matches = GLOB.test(line) ? picomatch(resolve(workspace, line), { dot: true }) : () => true;
    const files = (await filesBelow(root)).filter(
      (file) => matches(file) && !excluded(file) && (hidden || !isHidden(root, file)),
    );
    for (const file of files) found.add(file);
    if (files.length > 0) roots.push(files.length === 1 && files[0] === root ? dirname(root) : root);
  }
  return { files: [...found].sort(), roots, root: commonDirectory(roots) };
}

function commonDirectory(roots: readonly string[]): string {
  const split = roots.map((root) => root.split(sep));
  const [first = []] = split;
  const end = first.findIndex((part, index) => split.some((other) => other[index] !== part));
  return (end < 0 ? first : first.slice(0, end)).join(sep) || sep;
}

/** A file as it is read; what has become a pipe or a device meanwhile, which would never end, counts as empty. */
async function* bytesOf(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) return;
    yield* file.createReadStream({ autoClose: false });
  } finally {
    await file.close();
  }
}

/**
 * Takes out what a link leads to elsewhere than to the job's own folders. GitHub's machines hold nothing else that is worth
 * taking; this one is somebody's own, and a link comes with the commit. A path that the workflow itself names may lie anywhere.
 */
async function withoutStrangers(
  call: BuiltInCall,
  { files, roots }: Pick<Found, 'files' | 'roots'>,
): Promise<string[]> {
  const { paths, log } = call.world;
  const outside = roots.filter((root) => !isBelow(paths.root, root));
  const own = await Promise.all([paths.root, ...outside].map((root) => realpath(root)));
  const kept: string[] = [];
  for (const file of files) {
    const real = await realpath(file);
    if (own.some((root) => isBelow(root, real))) kept.push(file);
    else log.line(`##[warning]${file} leads out of the job's folders: it is not uploaded.`);
  }
  return kept;
}

const isBelow = (root: string, path: string): boolean => path === root || path.startsWith(`${root}${sep}`);

async function store(call: BuiltInCall, files: readonly string[], root: string): Promise<StepEnd> {
  const { world, inputs } = call;
  const { artifacts } = world.services;
  const { job } = world;
  const name = inputs.name ?? 'artifact';
  const old = inputs.overwrite === 'true' ? artifacts.named(job.run, job.attempt, name) : undefined;
  if (old !== undefined) artifacts.remove(old);
  const days = Number(inputs['retention-days'] ?? 0);
  const creation = artifacts.create({
    run: job.run,
    attempt: job.attempt,
    jobId: job.id,
    name,
    contentType: 'application/zip',
    ...(days > 0 ? { expiresAt: world.services.now() + days * 24 * 3_600_000 } : {}),
    late: job.status === 'completed',
  });
  if (creation.kind === 'refused')
    return failed(call, `Failed to CreateArtifact: (${creation.status}) ${creation.message}`);
  const { artifact } = creation;
  const zip = await writeZip(
    files.map(
      (file): ZipSource => ({ path: relative(root, file).split(sep).join('/'), data: bytesOf(file) }),
    ),
    artifacts.limits.maxBytes,
  );
  if (zip === null || !artifacts.write(artifact, zip)) {
    artifacts.remove(artifact);
    return failed(call, `The artifact ${name} is too large`);
  }
  artifacts.finalize(artifact);
  world.log.line(
    `Artifact ${name} has been successfully uploaded! Final size is ${artifact.data.length} bytes. Artifact ID is ${artifact.id}`,
  );
  const url = `${world.defaults.GITHUB_SERVER_URL}/${world.defaults.GITHUB_REPOSITORY}/actions/runs/${job.run.id}/artifacts/${artifact.id}`;
  const digest = artifact.digest?.replace('sha256:', '') ?? '';
  return {
    outcome: 'success',
    outputs: { 'artifact-id': String(artifact.id), 'artifact-url': url, 'artifact-digest': digest },
  };
}

/** Stand-in for `actions/upload-artifact`. */
export const uploadArtifact: BuiltInAction = {
  inputs: {
    name: 'artifact',
    path: '',
    'if-no-files-found': 'warn',
    'retention-days': '0',
    'compression-level': '6',
    overwrite: 'false',
    'include-hidden-files': 'false',
  },
  main: async (call) => {
    const { inputs, world } = call;
    if (inputs.path === '') return failed(call, 'Input required and not supplied: path');
    const hidden = inputs['include-hidden-files'] === 'true';
    const found = await findFiles(world.paths.workspace, inputs.path!, hidden);
    const { root } = found;
    const files = await withoutStrangers(call, found);
    if (files.length > 0) return store(call, files, root);
    const message = `No files were found with the provided path: ${inputs.path}. No artifacts will be uploaded.`;
    if (inputs['if-no-files-found'] === 'error') return failed(call, message);
    if (inputs['if-no-files-found'] === 'warn') world.log.line(`##[warning]${message}`);
    return { outcome: 'success', outputs: {} };
  },
};
