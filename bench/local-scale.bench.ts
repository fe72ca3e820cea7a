import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Octokit } from '@octokit/rest';
import { createIssue } from '../src/local/issues/create.ts';
import type { Actor } from '../src/local/principal.ts';
import { createPull } from '../src/local/pulls/create.ts';
import type { Repo } from '../src/local/records/repository.ts';
import { openKept } from '../src/local/saved/open-kept.ts';
import { createRepo, createUser, createUserToken } from '../src/local/seed.ts';
import type { Store } from '../src/local/store.ts';
import { type Figure, median, rounded, timed } from './support/figure.ts';

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

const QUERY = `query { repository(owner: "acme", name: "demo") {
  issues(first: 100, labels: ["ccd:dispatch"], states: [OPEN]) {
    totalCount
    nodes { number title body updatedAt labels(first: 20) { nodes { name } } author { login } }
  } } }`;
const PULLS_QUERY = `query { repository(owner: "acme", name: "demo") {
  pullRequests(last: 100, states: [OPEN]) { nodes { number title headRefName baseRefName headRefOid isDraft } } } }`;
const REFS_QUERY = `query { repository(owner: "acme", name: "demo") {
  refs(refPrefix: "refs/ccd/", first: 100) { totalCount nodes { name target { oid } } } } }`;

export async function run(): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ccd-bench-scale-'));
  try {
    const first = await openKept({ dataDir }, failed);
    const { token } = await fill(first.github.store);
    const saving = await timed(() => first.save());
    await first.close();
    const started = performance.now();
    const again = await openKept({ dataDir }, failed);
    const starting = performance.now() - started;
    const octokit = new Octokit({ baseUrl: `${again.github.url}/api/v3`, auth: token });
    const figures = [
      { name: 'start', value: rounded(starting), unit: 'ms', goal: '3,000' },
      { name: 'saving', value: rounded(saving), unit: 'ms' },
    ];
    for (const [name, query] of [
      ['page of issues by label', QUERY],
      ['page of pull requests', PULLS_QUERY],
      ['page of refs', REFS_QUERY],
    ] as const) {
      const times: number[] = [];
      for (let index = 0; index < 20; index += 1) times.push(await timed(() => octokit.graphql(query)));
      figures.push({ name: `GraphQL, ${name}`, value: rounded(median(times), 1), unit: 'ms', goal: '50' });
    }
    figures.push({
      name: 'memory',
      value: rounded(process.memoryUsage().rss / 1e6),
      unit: 'MB',
      goal: '500',
    });
    await again.close();
    return figures;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
