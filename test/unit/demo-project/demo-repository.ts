import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { runCcd } from '../../../src/cli/ccd.ts';
import type { CliCommand } from '../../../src/cli/command.ts';

const fixtures = fileURLToPath(new URL('../../../fixtures/', import.meta.url));
export const agentPath = join(fixtures, 'demo-agent/agent.mjs');
export const projectPath = join(fixtures, 'demo-project');

export interface DemoStory {
  readonly story: string;
  readonly title: string;
  readonly file: string;
  readonly dependsOn: string | null;
}

export const demoStories = JSON.parse(
  readFileSync(join(fixtures, 'demo-issues/stories.json'), 'utf8'),
) as DemoStory[];

/** Body of a story's issue, with the number that the issue of `fix` has. */
export function issueBody(story: string, fixIssue = 1): string {
  return readFileSync(join(fixtures, `demo-issues/${story}.md`), 'utf8').replaceAll(
    '{{fix}}',
    String(fixIssue),
  );
}

export function titleOf(story: string): string {
  const found = demoStories.find((known) => known.story === story);
  if (found === undefined) throw new Error(`no story ${story}`);
  return found.title;
}

/** A real repository with the demo project as its first commit. */
export async function createDemoRepository() {
  const root = mkdtempSync(join(tmpdir(), 'ccd-demo-'));
  const dir = join(root, 'repo');
  cpSync(projectPath, dir, { recursive: true });
  const env = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const identity = ['-c', 'user.name=Demo', '-c', 'user.email=demo@example.invalid'];
  const git = async (...args: string[]) =>
    (await execa('git', [...identity, ...args], { cwd: dir, env })).stdout;
  const commit = async (message: string) => {
    await git('add', '--all');
    await git('commit', '--quiet', '--message', message);
    return git('rev-parse', 'HEAD');
  };
  await git('init', '--quiet', '--initial-branch=main');
  const base = await commit('Import');
  return {
    root,
    dir,
    base,
    git,
    /** Lets the agent do a story on top of a commit, and commits what it left. */
    async play(story: string, on: string, env: Record<string, string> = {}) {
      await git('checkout', '--quiet', '--detach', on);
      const run = await runAgent(dir, `The task is: ${titleOf(story)}\n\n${issueBody(story)}`, env);
      return { commit: await commit(`Play ${story}`), run };
    },
    specFile(story: string): string {
      const file = join(root, `${story}.md`);
      writeFileSync(file, issueBody(story));
      return file;
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

export interface AgentRun {
  readonly exitCode: number | null;
  readonly events: readonly Record<string, unknown>[];
}

/** Runs the agent as a worker would: arguments of the real CLI, prompt on standard input. */
export function startAgent(
  cwd: string,
  prompt: string,
  env: Record<string, string>,
  args: readonly string[] = [],
) {
  const argv = [
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    '--max-turns',
    '30',
    '--setting-sources=',
    ...args,
  ];
  const child = spawn(agentPath, argv, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(prompt);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  const ended = new Promise<AgentRun>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, events: eventsOf(output) }));
  });
  return { child, ended, output: () => output };
}

export function runAgent(cwd: string, prompt: string, env: Record<string, string> = {}): Promise<AgentRun> {
  return startAgent(cwd, prompt, env).ended;
}

function eventsOf(output: string): Record<string, unknown>[] {
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Runs one command of ccd in this process. */
export async function ccd(command: CliCommand, ...args: string[]) {
  const result = { exit: 0, stdout: '', stderr: '' };
  await runCcd(
    args,
    [command],
    {
      stdout: (text) => {
        result.stdout += text;
      },
      stderr: (text) => {
        result.stderr += text;
      },
      env: process.env,
      cwd: process.cwd(),
      isTty: false,
      setExit: (code) => {
        result.exit = code;
      },
    },
    '0.0.0',
  );
  return result;
}
