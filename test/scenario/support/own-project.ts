import { chmod, mkdir, readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { root } from './scenario.ts';

/** A user's repository: sub-folders with spaces and letters beyond ASCII, attributes, a pointer to a large file, a branch of its own. */
const files: Readonly<Record<string, string>> = {
  '.gitattributes': '* text=auto\n*.bat text eol=crlf\n*.bin filter=lfs diff=lfs merge=lfs -text\n',
  'package.json': '{"name":"own","version":"1.0.0","type":"module","private":true}\n',
  'pkg/my lib/größe.js': 'export const size = (n) => (n < 0 ? 0 : n);\n',
  'test/größe.test.js': [
    "import assert from 'node:assert/strict';",
    "import { test } from 'node:test';",
    "import { size } from '../pkg/my lib/größe.js';",
    '',
    "test('keeps a size', () => {",
    '  assert.equal(size(2), 2);',
    '});',
    '',
  ].join('\n'),
  'assets/a.bin': `version https://git-lfs.github.com/spec/v1\noid sha256:${'4'.repeat(64)}\nsize 12345\n`,
  'run.bat': 'echo\r\n',
  '.github/workflows/nightly.yml':
    'name: nightly\non:\n  schedule:\n    - cron: "0 0 * * *"\njobs:\n  a:\n    runs-on: windows-latest\n    steps:\n      - uses: foo/bar@v1\n',
};

export const ownTask = [
  '# Größe: negative sizes are kept',
  '### Kind',
  'fix',
  '### Objective',
  '`size(-1)` gives 0. It has to give -1.',
  '### Allowed paths',
  '- `pkg/my lib/größe.js`\n- `test/größe.test.js`',
  '### Target tests',
  '- `test/größe.test.js::keeps a negative size`',
  '### Setup',
  'node --version',
  '### Test command',
  'node --test',
  '',
].join('\n\n');

const steps = [
  { path: 'pkg/my lib/größe.js', find: '(n < 0 ? 0 : n)', put: 'n' },
  {
    path: 'test/größe.test.js',
    append: "\ntest('keeps a negative size', () => {\n  assert.equal(size(-1), -1);\n});\n",
  },
];

export function gitIn(dir: string) {
  return async (...args: string[]) =>
    (await execa('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: dir }))
      .stdout;
}

/** Makes the repository, with one commit on a branch that is not called main. */
export async function makeOwnProject(dir: string): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }
  const git = gitIn(dir);
  await git('init', '--quiet', '--initial-branch=feature/größe');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'Start');
}

/** Writes the executable that mends the project: the scenario agent with its steps inside. */
export async function writeOwnAgent(path: string): Promise<void> {
  const agent = await readFile(join(root, 'test', 'scenario', 'support', 'agent.mjs'), 'utf8');
  const told = agent.replace("readFileSync(process.env.CCD_AGENT_SCRIPT, 'utf8')", () =>
    JSON.stringify(JSON.stringify(steps)),
  );
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, told);
  await chmod(path, 0o755);
}

/** Everything below a folder with its content and its times: what a command that only reads must not change. */
export async function listing(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const lines = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) return `${path} -> ${await readlink(path)}`;
    const { mode, size, mtimeMs } = await stat(path);
    const content = entry.isFile() ? (await readFile(path)).toString('base64') : '';
    return `${path} ${mode} ${size} ${mtimeMs} ${content}`;
  });
  return (await Promise.all(lines)).sort();
}
