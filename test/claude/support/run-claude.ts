import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemClock } from '../../../src/host/clock.ts';
import type { Environment } from '../../../src/host/environment.ts';
import { randomIds } from '../../../src/host/ids.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../src/host/sandbox.ts';
import { agentEnvironment } from '../../../src/worker/claude/agent-environment.ts';
import { type AgentCommand, agentArgv } from '../../../src/worker/claude/argv.ts';
import { type AgentEnding, type AgentRun, runAgent } from '../../../src/worker/claude/process.ts';
import type { ProgressEvent } from '../../../src/worker/claude/progress-event.ts';
import { settingsJson } from '../../../src/worker/claude/settings.ts';
import { type ScriptedModel, startModel } from '../../support/scripted-model/start.ts';
import { installClaude } from './install-claude.ts';

/** One run of the real CLI on a script, and what can be seen of it afterwards. */
export interface ClaudeRun {
  readonly ending: AgentEnding;
  readonly model: ScriptedModel;
  /** Content of a file of its work folder. */
  file(name: string): string;
  readonly warnings: readonly string[];
  /** Process ids that have to do with this run and still live. */
  readonly left: readonly string[];
}

export interface ClaudePlan {
  readonly command?: Partial<AgentCommand>;
  readonly run?: Partial<AgentRun>;
  readonly env?: Environment;
  /** Leaves the home out of what may be written. */
  readonly readOnlyHome?: boolean;
  readonly readable?: readonly string[];
  /** Called at each tool call with a way to signal the CLI itself, as somebody from outside would. */
  readonly onTool?: (signal: (name: NodeJS.Signals) => void) => void;
}

/** A sandbox and a place for many runs of the real CLI: what each of them needs, made once. */
export class ClaudeHouse {
  readonly root: string;
  readonly sandbox: Sandbox;
  readonly program: string;
  #count = 0;

  private constructor(root: string, sandbox: Sandbox, program: string) {
    this.root = root;
    this.sandbox = sandbox;
    this.program = program;
  }

  static async open(options: Partial<SandboxOptions> = {}): Promise<ClaudeHouse> {
    const program = await installClaude();
    const root = mkdtempSync(join(tmpdir(), 'ccd-claude-'));
    const ownFolder = join(root, 'own');
    mkdirSync(ownFolder);
    mkdirSync(join(root, 'out'));
    const base = { minimum: 'sandbox', ephemeral: false, ownFolder } as const;
    return new ClaudeHouse(root, await createSandbox({ ...base, ...options }), program);
  }

  async run(script: unknown, plan: ClaudePlan = {}): Promise<ClaudeRun> {
    const model = await startModel({ default: script });
    try {
      return await this.#runOn(model, plan);
    } finally {
      await model.close();
    }
  }

  async #runOn(model: ScriptedModel, plan: ClaudePlan): Promise<ClaudeRun> {
    const warnings: string[] = [];
    const prepared = this.prepare(model.url, plan);
    const home = prepared.env.HOME ?? '';
    const run = {
      ...prepared,
      onProgress: (event: ProgressEvent) => {
        if (event.type === 'warning') warnings.push(event.warning);
        if (event.type === 'tool-called') plan.onTool?.(signalTo(processesWith(home)));
      },
      ...plan.run,
    };
    const ending = await runAgent(this.sandbox, run, systemClock);
    const file = (name: string) => readFileSync(join(run.cwd, name), 'utf8');
    return { ending, model, file, warnings, left: processesWith(home) };
  }

  /** Lays out the folders of one more run and says how the CLI is started in them. */
  prepare(modelUrl: string, plan: ClaudePlan = {}): AgentRun {
    this.#count += 1;
    const name = `run-${this.#count}`;
    const at = (part: string) => join(this.root, 'own', name, part);
    for (const part of ['home', 'tmp', 'config', 'work']) mkdirSync(at(part), { recursive: true });
    writeFileSync(at('config/settings.json'), settingsJson());
    writeFileSync(at('config/rules.txt'), 'Work on the task.\n');
    writeFileSync(at('work/a.txt'), 'one\n');
    execFileSync('git', ['init', '-q', at('work')]);
    const places = { home: at('home'), temporary: at('tmp'), modelUrl, modelKey: 'dummy' };
    const homeIs = plan.readOnlyHome === true ? 'readable' : 'writable';
    return {
      argv: agentArgv({
        program: this.program,
        model: 'claude-sonnet-4-5',
        limits: { maxTurns: 20, maxMicroUsd: 5_000_000 },
        allowedTools: ['Read', 'Edit', 'Write', 'Bash(*)'],
        settingsFile: at('config/settings.json'),
        rulesFile: at('config/rules.txt'),
        sessionId: randomIds.uuid(),
        ...plan.command,
      }),
      prompt: 'Carry out the task.',
      cwd: at('work'),
      // One retry of its own: each costs a wait, and how often it retries is not what is looked at here.
      env: agentEnvironment(process.env, places, { CLAUDE_CODE_MAX_RETRIES: '1', ...plan.env }),
      stdoutFile: join(this.root, 'out', `${name}.jsonl`),
      stderrFile: join(this.root, 'out', `${name}.err`),
      writable: [at('work'), at('tmp'), ...(homeIs === 'writable' ? [at('home')] : [])],
      readable: [
        ...[at('config'), dirname(this.program), ...(plan.readable ?? [])],
        ...(homeIs === 'readable' ? [at('home')] : []),
      ],
      limits: { wallClockMs: 120_000, silenceMs: 60_000, firstEventMs: 60_000 },
      stop: new AbortController().signal,
      onNews: () => undefined,
    };
  }

  close(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Process ids whose environment names this home. */
function processesWith(home: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`HOME=${home}`);
    } catch {
      return false;
    }
  });
}

/** The CLI among these; everything else was started by it. */
const signalTo = (pids: readonly string[]) => (name: NodeJS.Signals) => {
  const cli = pids.find((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'claude\n');
  if (cli === undefined) throw new Error('the CLI is not there');
  process.kill(Number(cli), name);
};

export const bash = (command: string, more: object = {}) => ({
  tool: { name: 'Bash', input: { command, description: 'run a command', ...more } },
});
export const edit = {
  tool: { name: 'Write', input: { file_path: '{{cwd}}/b.txt', content: 'saved\n' } },
};
