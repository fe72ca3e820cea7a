import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createIssue } from '../src/local/issues/create.ts';
import type { Actor } from '../src/local/principal.ts';
import { createPull } from '../src/local/pulls/create.ts';
import type { Repo } from '../src/local/records/repository.ts';
import { openKept } from '../src/local/saved/open-kept.ts';
import { createRepo, createUser, createUserToken } from '../src/local/seed.ts';
import type { Store } from '../src/local/store.ts';
import { type Figure, rounded, timed } from './support/figure.ts';

const ISSUES = 10_000;
const PULLS = 2_000;
const REFS = 50_000;

const failed = (fault: unknown): void => {
  throw fault;
};

/** One commit on `main`, one on each branch of a pull request, and refs to fill up. */
function importText(): string {
  const who = 'committer Seed <seed@example.com>';
  const lines = [
    `commit refs/heads/main\nmark :1\n${who} 1700000000 +0000\ndata 5\nFirst\nM 100644 inline a.txt\ndata 4\none\n`,
  ];
  for (let index = 0; index < PULLS; index += 1) {
    const text = `${index}\n`;
    lines.push(
      `commit refs/heads/topic-${index}\n${who} ${1_700_000_001 + index} +0000\ndata 5\nTopic\nfrom :1\nM 100644 inline b.txt\ndata ${text.length}\n${text}`,
    );
  }
  for (let index = PULLS + 1; index < REFS; index += 1)
    lines.push(`reset refs/ccd/filler/${index % 100}/${index}\nfrom :1\n`);
  return lines.join('\n');
}

async function fill(store: Store): Promise<{ repo: Repo; token: string }> {
  const owner = createUser(store, 'acme', 'Organization');
  const repo = await createRepo(store, { owner, name: 'demo' });
  const imported = await repo.git.run(['fast-import', '--quiet'], { input: importText() });
  if (imported.code !== 0) throw new Error(imported.stderr);
  await repo.git.run(['pack-refs', '--all']);
  const actor: Actor = { user: owner, app: null, via: 'user' };
  for (let index = 0; index < ISSUES; index += 1)
    createIssue(store, repo, actor, {
      title: `Issue ${index}`,
      body: `What is to be done, number ${index}.\n\n- one\n- two\n`,
      labels: [index % 50 === 0 ? 'ccd:dispatch' : 'later'],
    });
  for (let index = 0; index < PULLS; index += 1) {
    const made = await createPull(store, repo, actor, {
      head: `topic-${index}`,
      base: 'main',
      title: `Topic ${index}`,
      body: null,
      draft: false,
    });
    if (made.kind !== 'created') throw new Error(JSON.stringify(made));
  }
  return { repo, token: createUserToken(store, owner) };
}

/** What the same folder costs a server that has done nothing else, in a process of its own. */
async function measuredApart(dataDir: string, token: string): Promise<Figure[]> {
  const program = fileURLToPath(new URL('support/measure-kept.ts', import.meta.url));
  const args = ['--import', 'tsx', program, dataDir, token];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as Figure[];
}

export async function run(): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ccd-bench-scale-'));
  try {
    const first = await openKept({ dataDir }, failed);
    const { token } = await fill(first.github.store);
    const saving = await timed(() => first.save());
    await first.close();
    const apart = await measuredApart(dataDir, token);
    return [...apart, { name: 'saving', value: rounded(saving), unit: 'ms' }];
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
