import { existsSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isWithin } from './named-places.ts';
import { existingPlace, type Place, secretPlaces } from './secret-places.ts';

/** What marks the installation folder of a self-hosted runner. */
const runnerMarks = ['.runner', '.credentials', '_diag', 'bin/Runner.Listener'];
/** Variables that name files by which a step steers its job, and folders of the job. */
const jobFiles = [
  'GITHUB_ENV',
  'GITHUB_PATH',
  'GITHUB_OUTPUT',
  'GITHUB_STATE',
  'GITHUB_STEP_SUMMARY',
  'GITHUB_EVENT_PATH',
];
const jobFolders = ['RUNNER_TEMP', 'RUNNER_WORKSPACE', 'GITHUB_WORKSPACE'];

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * What no child sees: the user's home as a whole, the runner with its work folder, diagnostics and credentials, the job's
 * command files, and /run, where sockets and secrets of services come and go. What a child needs in there is opened by name.
 */
export function hiddenPlaces(environment: Variables, home: string): Place[] {
  const runners = runnerFolders(environment);
  const files = jobFiles.flatMap((name) => environment[name] ?? []);
  const folders = [
    home,
    '/run',
    ...runners,
    ...jobFolders.flatMap((name) => environment[name] ?? []),
    ...files.map((file) => dirname(file)),
  ];
  const places = [...folders.filter(isOwnFolder), ...files].flatMap(existingPlace);
  return [...places, ...secretPlaces([home], runners)];
}

/** The installation folder lies two levels above the temporary folder of the job. */
function runnerFolders({ RUNNER_TEMP: temporary }: Variables): string[] {
  if (temporary === undefined) return [];
  const folder = join(temporary, '..', '..');
  return runnerMarks.some((mark) => existsSync(join(folder, mark))) ? [folder] : [];
}

/** Folders that are the system's rather than the runner's are never shut: nothing would run any more. */
function isOwnFolder(path: string): boolean {
  const system = ['/usr', '/bin', '/lib', '/etc', '/tmp', '/dev', '/proc', '/sys'];
  return !system.some((folder) => isWithin(folder, path));
}

/**
 * Tool chains on the search path that lie in a place that is hidden or empty inside: opened for reading, each with the folder
 * above its `bin`. Links in the machine's own folders of programs are followed, too.
 */
export function toolPlaces(searchPath: string, hidden: readonly string[]): Place[] {
  const folders = searchPath.split(':').filter((folder) => folder.startsWith('/'));
  const needed = [...folders, process.execPath, ...folders.flatMap(linkedPrograms)].flatMap(realOf);
  const shut = (path: string) => hidden.some((folder) => isWithin(path, folder));
  const places = needed.filter(shut).map((path) => wholeTool(path, hidden));
  return [...new Set(places)].flatMap(existingPlace);
}

const systemBin = /^(?:\/usr)?\/s?bin\/?$/;

function linkedPrograms(folder: string): string[] {
  if (systemBin.test(folder)) return [];
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isSymbolicLink())
      .map((entry) => join(folder, entry.name))
      .filter((path) => readlinkSync(path).includes('/'));
  } catch {
    // Names of folders that are not there are usual on a search path.
    return [];
  }
}

function realOf(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

/** The tool around a program or a folder of programs; never one of the hidden folders as a whole. */
function wholeTool(path: string, hidden: readonly string[]): string {
  const folder = statSync(path).isDirectory() ? path : dirname(path);
  const above = ['bin', 'sbin', 'shims'].includes(basename(folder)) ? dirname(folder) : folder;
  if (!hidden.includes(above)) return above;
  return hidden.includes(folder) ? path : folder;
}
