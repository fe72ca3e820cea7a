import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ccd, cli, root, runIn, toolFolder } from './support/run-cli.ts';

let dir: string;
const folders: string[] = [];
const toolsWith = async (git: string | null) => {
  const folder = await toolFolder(git, 'node', 'npm', 'sh', 'env');
  folders.push(folder);
  return folder;
};
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ccd-bad-machine-'));
});
afterAll(async () => {
  for (const folder of [dir, ...folders]) await rm(folder, { recursive: true, force: true });
});

const npm = (...args: string[]): [string, ...string[]] => ['npm', '--prefix', root, 'run', '-s', ...args];
const ways: [string, [string, ...string[]]][] = [
  ['the demonstration', ccd('demo')],
  ['a judgement', ccd('guard', '--base', 'a', '--spec', 'b')],
  ['the status', ccd('status', '--repo', 'a/b')],
  ['the app', ccd('serve')],
  ['the local GitHub', ccd('local')],
  ['npm run demo', npm('demo')],
  ['npm run ccd', npm('ccd', '--', 'demo')],
  ['npm test', npm('test')],
];

it.each(ways)('%s says that git is missing', async (_name, command) => {
  const run = await runIn(dir, command, { PATH: await toolsWith(null) });
  expect(run.stderr).toBe('ccd: git could not be started. Install git 2.38 or later and put it on the PATH.');
  expect([run.exitCode, run.stdout, await readdir(join(dir, 'tmp'))]).toEqual([2, '', []]);
});

it.each(ways)('%s says that git is too old', async (_name, command) => {
  const run = await runIn(dir, command, { PATH: await toolsWith('2.37.9') });
  expect(run.stderr).toBe(
    'ccd: git 2.38 or later is needed; this is "git version 2.37.9". Install a newer git and put it first on the PATH.',
  );
  expect([run.exitCode, run.stdout, await readdir(join(dir, 'tmp'))]).toEqual([2, '', []]);
});

it.each([
  ['the installed command', ccd('demo', '--json'), '18.20.8'],
  ['npm run demo', npm('demo', '--', '--json'), '18.20.8'],
  ['npm run ccd', npm('ccd', '--', 'spec', 'x', '--json'), '20.18.3'],
  ['npm test', npm('test', '--', '--json'), '16.20.2'],
] as const)('%s says that Node is too old', async (_name, command, version) => {
  const pretend = join(dir, 'pretend.mjs');
  const versions = `{ ...process.versions, node: '${version}' }`;
  await writeFile(
    pretend,
    `if (process.argv[1]?.endsWith('.mjs')) Object.defineProperty(process, 'versions', { value: ${versions} });\n`,
  );
  const run = await runIn(dir, command, { NODE_OPTIONS: `--import=${pretend}` });
  expect(run.stderr).toBe(`ccd: Node ${version} is too old. Install Node 20.19 or newer.`);
  expect(JSON.parse(run.stdout)).toMatchObject({ error: { code: 'machine.node-too-old' } });
  expect(run.exitCode).toBe(2);
});

it('an old Node reads nothing that it may not know before it has spoken', async () => {
  const launcher = await readFile(cli, 'utf8');
  expect(launcher.match(/^import .*$/gm)).toBeNull();
  expect(launcher.length).toBeLessThan(4000);
});
