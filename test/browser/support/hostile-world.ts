import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { createActions, type LocalActions } from '../../../src/local/actions/actions.ts';
import { runGit } from '../../../src/local/git/run-git.ts';
import { mountPages } from '../../../src/local/pages/mount-pages.ts';
import { createApp, createRepo, createUser, createUserToken, installApp } from '../../../src/local/seed.ts';
import { type LocalGitHub, start } from '../../../src/local/server.ts';

/** What would show, in a page that it gets into, that it ran: a dialog, a request, a title. */
export const SCRIPT = `<script>document.title='pwned';alert(1);fetch('http://198.51.100.1/')</script>`;
export const IMAGE = `<img src="http://198.51.100.1/x.png" onerror="document.title='pwned'">`;
export const EVIL_BRANCH = 'evil/<img/src=x/onerror=alert(1)>';
export const RIGHT_TO_LEFT = 'invoice\u202egpj.exe';

const README = `# Demo of <b onmouseover="alert(1)">everything</b>

${SCRIPT}

${IMAGE} ![tracker](http://198.51.100.1/t.png) [run](javascript:alert(1)) [data](data:text/html,<script>alert(1)</script>) [fine](docs/guide.md)

A small project with **one** module, ~~two~~ and a list:

- [x] reads
- [ ] writes
- nested
  1. first
  2. second

> A quotation over
> two lines.

| column | right |
| --- | ---: |
| \`a\\|b\` | 1 |
| c | 22 |

\`\`\`js
export const add = (a, b) => a + b; // </code></pre>${SCRIPT}
\`\`\`
`;

const WORKFLOW = `name: CI <b>bold</b>
on:
  push:
    branches: [feature/one]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - name: Say <i>much</i>
        run: |
          echo "::group::Set up ${'<u>'}"
          printf '\\033[32mgreen\\033[0m \\033[1;31mred\\033[0m \\033]0;title\\007 <script>alert(1)</script>\\n'
          echo "::endgroup::"
          printf 'bell\\007 null-ish\\001 back\\bspace carriage\\rreturn\\n'
          echo "::error file=src/add.js,line=1::It is <b>wrong</b>"
          for i in 1 2 3 4 5; do echo "line $i"; done
          mkdir -p out && echo hello > out/a.txt
      - uses: actions/upload-artifact@v4
        with:
          name: out
          path: out
`;

/** A local GitHub with pages, full of things that want to break out of a page. */
export interface HostileWorld {
  readonly github: LocalGitHub;
  readonly actions: LocalActions;
  readonly octokit: Octokit;
  readonly owner: string;
  readonly repo: string;
  close(): Promise<void>;
}

/** Seeds it by git over HTTP and by the API, as any client would. */
export async function openHostileWorld(): Promise<HostileWorld> {
  const dir = await mkdtemp(join(tmpdir(), 'ccd-pages-'));
  const github = await start({ dataDir: join(dir, 'data') });
  const actions = createActions(github);
  mountPages(github, actions);
  const { store } = github;
  const ada = createUser(store, 'ada');
  const token = createUserToken(store, ada);
  await createRepo(store, { owner: ada, name: 'demo', description: `Everything at once ${IMAGE}` });
  await createRepo(store, { owner: ada, name: 'empty', private: true });
  const app = createApp(store, {
    slug: 'checker',
    name: 'Checker <b>',
    owner: ada,
    permissions: { checks: 'write', statuses: 'write', issues: 'write', contents: 'write' },
  });
  const installation = installApp(store, app, ada);
  const common = { baseUrl: `${github.url}/api/v3`, log: quiet };
  const octokit = new Octokit({ ...common, auth: token });
  const asApp = new Octokit({
    ...common,
    authStrategy: createAppAuth,
    auth: { appId: app.id, privateKey: app.privateKey, installationId: installation.id },
  });
  const at = { owner: 'ada', repo: 'demo' };
  const clone = new Clone(
    join(dir, 'clone'),
    `http://x-access-token:${token}@127.0.0.1:${github.port}/ada/demo.git`,
  );
  actions.startRunner({ workDir: join(dir, 'work') });
  await history(clone);
  await issues(octokit, asApp, at);
  await pulls(octokit, clone, at);
  const head = await clone.git('rev-parse', 'feature/one');
  await checks(asApp, at, head);
  await octokit.repos.createRepoRuleset({
    ...at,
    name: `Protect <main> ${RIGHT_TO_LEFT}`,
    target: 'branch',
    enforcement: 'active',
    conditions: { ref_name: { include: ['refs/heads/release/**'], exclude: [] } },
    rules: [
      { type: 'deletion' },
      {
        type: 'required_status_checks',
        parameters: {
          strict_required_status_checks_policy: false,
          required_status_checks: [{ context: 'build' }],
        },
      },
    ],
  });
  await actions.idle();
  return {
    github,
    actions,
    octokit,
    ...at,
    close: async () => {
      await actions.close();
      await github.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

type At = { readonly owner: string; readonly repo: string };

/** A work tree that pushes to the local GitHub. */
class Clone {
  readonly #dir: string;
  readonly #remote: string;

  constructor(dir: string, remote: string) {
    this.#dir = dir;
    this.#remote = remote;
  }

  async git(...args: readonly string[]): Promise<string> {
    await mkdir(this.#dir, { recursive: true });
    const who = [
      '-c',
      'user.name=Ada <Love>',
      '-c',
      'user.email=ada@example.com',
      '-c',
      'core.quotePath=false',
    ];
    const run = await runGit([...who, ...args], { cwd: this.#dir });
    if (run.code !== 0) throw new Error(`git ${args.join(' ')}: ${run.stderr}`);
    return run.stdout.toString('utf8').trim();
  }

  async commit(message: string, files: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      const full = join(this.#dir, path);
      await mkdir(dirname(full), { recursive: true });
      await writeFile(full, text);
    }
    await this.git('add', '-A');
    await this.git('commit', '-q', '-m', message);
  }

  push(...refs: readonly string[]): Promise<string> {
    return this.git('push', '-q', '--force', this.#remote, ...refs);
  }
}

async function history(clone: Clone): Promise<void> {
  await clone.git('init', '-q', '-b', 'main');
  await clone.commit(`First commit ${SCRIPT}\n\nWith a body ${IMAGE}`, {
    'README.md': README,
    '.github/workflows/ci.yml': WORKFLOW,
    'src/add.js': 'export const add = (a, b) => a + b;\n',
    'docs/guide.md': '# Guide\n\nRead it.\n',
    'odd/"quo\'te" <b>.txt': 'a\tb\n',
    [`odd/${RIGHT_TO_LEFT}`]: `hidden \u202e order\n`,
    'odd/new\nline.txt': 'x\n',
    'odd/שלום.txt': 'עברית\n',
    'odd/binary.bin': '\0\x01\x02',
    'big/line.txt': `${'x'.repeat(200_000)}\n`,
    'big/page.md': `# Big\n\n${'word '.repeat(220_000)}`,
  });
  for (const topic of ['alpha', 'beta', 'gamma']) {
    await clone.git('checkout', '-q', '-b', `topic/${topic}`);
    await clone.commit(`Begin ${topic}`, { [`src/${topic}.js`]: `export const ${topic} = 1;\n` });
    await clone.commit(`Finish ${topic}`, { [`src/${topic}.js`]: `export const ${topic} = 2;\n` });
    await clone.git('checkout', '-q', 'main');
    await clone.commit(`Work beside ${topic}`, { 'notes.txt': `${topic}\n` });
    await clone.git('merge', '-q', '--no-ff', '-m', `Merge topic/${topic}`, `topic/${topic}`);
  }
  await clone.push('main', 'topic/alpha', 'topic/beta', 'topic/gamma', `main:refs/heads/${EVIL_BRANCH}`);
}

async function issues(octokit: Octokit, asApp: Octokit, at: At): Promise<void> {
  await octokit.issues.createLabel({ ...at, name: `bug <b>${RIGHT_TO_LEFT}`, color: 'd73a4a' });
  await octokit.issues.createLabel({ ...at, name: 'good first', color: '0e8a16' });
  const first = await octokit.issues.create({
    ...at,
    title: `Titles may hold ${SCRIPT}`,
    body: `${SCRIPT}\n\n${IMAGE}\n\nThe first line does not say what *fails*.\n\n1. Start it\n2. Look\n\n\`\`\`\nTypeError: x is not a function\n\`\`\`\n`,
    labels: [`bug <b>${RIGHT_TO_LEFT}`],
  });
  const second = await octokit.issues.create({
    ...at,
    title: `Right to left ${RIGHT_TO_LEFT}`,
    body: '> '.repeat(20_000),
    labels: ['good first'],
  });
  await octokit.issues.create({
    ...at,
    title: 'A body as long as GitHub allows',
    body: '<b>long</b> '.repeat(5_400),
  });
  await octokit.request('POST /repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by', {
    ...at,
    issue_number: second.data.number,
    issue_id: first.data.id,
  });
  await octokit.request('POST /repos/{owner}/{repo}/issues/{issue_number}/sub_issues', {
    ...at,
    issue_number: first.data.number,
    sub_issue_id: second.data.id,
  });
  const status = await asApp.issues.createComment({
    ...at,
    issue_number: first.data.number,
    body: '**Running**, attempt `1.1`\n\n| rule | finding |\n| --- | --- |\n| R2 | <script>alert(1)</script> |\n\n<!-- ccd -->',
  });
  await asApp.issues.updateComment({
    ...at,
    comment_id: status.data.id,
    body: `${status.data.body}\n\nSee #${second.data.number}.`,
  });
  await octokit.issues.createComment({
    ...at,
    issue_number: first.data.number,
    body: `[click](javascript:alert(1)) [me](${'//198.51.100.1/x'}) <https://example.com>`,
  });
  await octokit.issues.update({
    ...at,
    issue_number: first.data.number,
    title: `Titles may hold ${SCRIPT}!`,
  });
  const closed = await octokit.issues.create({
    ...at,
    title: 'Done already',
    body: null as unknown as string,
  });
  await octokit.issues.update({
    ...at,
    issue_number: closed.data.number,
    state: 'closed',
    state_reason: 'completed',
  });
  for (let n = 1; n <= 31; n += 1)
    await octokit.issues.create({ ...at, title: `Small thing ${n}`, body: `Number ${n}` });
}

async function pulls(octokit: Octokit, clone: Clone, at: At): Promise<void> {
  await clone.git('checkout', '-q', '-b', 'feature/one', 'main');
  await clone.commit('Change much', {
    'src/add.js':
      '/** Adds. </td></tr></table><script>alert(1)</script> */\nexport const add = (a, b) => b + a;\n',
    'big/table.csv': Array.from({ length: 600 }, (_, row) => `${row},${row * 7},row ${row}`).join('\n'),
    'big/huge.txt': 'a line that repeats itself for ever\n'.repeat(9_000),
    'odd/"quo\'te" <b>.txt': 'a\tc\n',
  });
  await clone.git('checkout', '-q', '-b', 'feature/conflict', 'main~2');
  await clone.commit('Other notes', { 'notes.txt': 'conflict\n' });
  await clone.git('checkout', '-q', '-b', 'feature/merged', 'main');
  await clone.commit('Goes in', { 'src/in.js': '1\n' });
  await clone.push('feature/one', 'feature/conflict', 'feature/merged');
  const make = (head: string, title: string, draft = false) =>
    octokit.pulls.create({ ...at, head, base: 'main', title, body: `Brings ${SCRIPT}`, draft });
  const one = await make('feature/one', `Change ${SCRIPT}`);
  await make('feature/conflict', 'Conflicts with trunk', true);
  await make('feature/merged', 'Goes in');
  await octokit.pulls.createReview({
    ...at,
    pull_number: one.data.number,
    event: 'COMMENT',
    body: `Looks *fine* ${IMAGE}`,
  });
  await clone.git('checkout', '-q', 'main');
  await clone.git('merge', '-q', '--no-ff', '-m', 'Merge feature/merged', 'feature/merged');
  await clone.push('main');
}

async function checks(asApp: Octokit, at: At, head: string): Promise<void> {
  await asApp.checks.create({
    ...at,
    name: `guard <i> ${RIGHT_TO_LEFT}`,
    head_sha: head,
    status: 'completed',
    conclusion: 'failure',
    details_url: 'https://example.com/?a="b"',
    output: {
      title: `2 findings ${SCRIPT}`,
      summary: `Rule **R2** ${SCRIPT}`,
      text: '| rule | file |\n| --- | --- |\n| R2 | `src/add.js` |\n',
      annotations: [
        {
          path: 'src/add.js',
          start_line: 1,
          end_line: 1,
          annotation_level: 'failure',
          title: '<b>',
          message: SCRIPT,
          raw_details: IMAGE,
        },
        {
          path: `odd/"quo'te" <b>.txt`,
          start_line: 1,
          end_line: 3,
          annotation_level: 'warning',
          message: 'A \u001b[31mred\u001b[0m word',
        },
      ],
    },
  });
  await asApp.repos.createCommitStatus({
    ...at,
    sha: head,
    state: 'success',
    context: 'build',
    description: IMAGE,
    target_url: 'javascript:alert(1)',
  });
}
