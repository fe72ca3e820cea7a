import { chmod, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Octokit } from '@octokit/rest';
import { type SpawnContract, spawnContractSchema } from '../../../../src/domain/contract.ts';
import { digestValue } from '../../../../src/domain/digest.ts';
import { oidSchema } from '../../../../src/domain/ids.ts';
import type { RepositoryState, TaskState } from '../../../../src/domain/state.ts';
import { repositoryStateSchema, statePaths, taskStateSchema } from '../../../../src/domain/state.ts';
import { type Clone, openClone } from '../../../../src/git/bare-clone.ts';
import { gitText } from '../../../../src/git/run-git.ts';
import { stateJson } from '../../../../src/git/state-json.ts';
import { createGitHubClient } from '../../../../src/github/client.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { randomIds } from '../../../../src/host/ids.ts';
import { createLog } from '../../../../src/host/log.ts';
import { createRedactor } from '../../../../src/host/redact.ts';
import { createUser, createUserToken } from '../../../../src/local/seed.ts';
import { loadPolicy } from '../../../../src/policy/load-policy.ts';
import { bodyDigest, specDigest } from '../../../../src/spec/digest.ts';
import { parseSpec } from '../../../../src/spec/parse-spec.ts';
import type { ArtifactStore } from '../../../../src/worker/artifact-store.ts';
import { type AttemptEnd, runAttempt } from '../../../../src/worker/attempt.ts';
import { defaultTimes, type WorkerJob, type WorkerTools } from '../../../../src/worker/worker-job.ts';
import { type ActionsWorld, openWorld } from '../../local/actions/support/actions-world.ts';

export const modelKey = 'sk-real-model-key-canary-1234567890';
export const jobToken = 'job-token-canary-abcdefghij';
const runId = 4711;

/** A repository with a task that is claimed and bound to run 4711, and everything that a worker needs there. */
export interface AttemptWorld extends ActionsWorld {
  readonly contract: SpawnContract;
  readonly contractDigest: string;
  readonly base: string;
  /** Names of uploaded artifacts, in order, and their files by name. */
  readonly artifacts: Map<string, string>;
  readonly log: string[];
  readonly clone: Clone;
  /** How often a worker has looked where the state branch stands. */
  looks(): number;
  /** Changes the task's or the repository's state on the state branch. */
  setState(change: {
    task?: (task: TaskState) => TaskState;
    repository?: (one: RepositoryState) => RepositoryState;
  }): Promise<void>;
  /** A person's own way to the API; everybody but ada is a stranger. */
  as(login: string): Octokit;
  /** Another active task, which has a candidate. */
  addTask(issue: number, candidate: { readonly oid: string; readonly base: string }): Promise<void>;
  /** An executable with the agent's command line: `body` runs after the prompt was read, with helpers in scope. */
  agent(body: string): Promise<string>;
  run(program: string, changes?: Partial<WorkerJob>, tools?: Partial<WorkerTools>): Promise<AttemptEnd>;
  /** A file of an artifact, as text. */
  artifactFile(name: string, file: string): Promise<string>;
  /** Content of a path in the tree that was handed over, by sequence; null when it is not there. */
  handedOver(sequence: number, path: string): Promise<string | null>;
}

export interface TaskOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly spec?: string;
  readonly policy?: string;
  readonly limits?: Partial<SpawnContract['limits']>;
  /** Makes the candidate that this attempt starts from, on the first base. */
  readonly carry?: (world: ActionsWorld, base: string) => Promise<SpawnContract['carry']>;
  /** What landed after that candidate was made. */
  readonly landed?: Readonly<Record<string, string>>;
}

export const project = {
  'src/add.mjs': 'export const add = (a, b) => a - b;\n',
  'test/add.test.mjs':
    "import test from 'node:test';\nimport assert from 'node:assert/strict';\nimport { add } from '../src/add.mjs';\ntest('zero', () => assert.equal(add(1, 0), 1));\n",
  '.gitignore': 'node_modules/\n*.log\n',
} as const;

export const fixSpec = [
  '### Kind\n\nfix\n\n### Objective\n\nadd subtracts; it must add. MARK-OBJECTIVE',
  '### Allowed paths\n\n- src/\n- test/\n\n### Target tests\n\n- test/add.test.mjs::adds',
  '### Test command\n\nnode --test\n',
].join('\n\n');

export const title = 'add is wrong';

export async function openAttempt(options: TaskOptions = {}): Promise<AttemptWorld> {
  const world = await openWorld();
  const policyText = options.policy ?? 'version: 1\n';
  const first = await world.push({ ...project, '.github/ccd.yml': policyText, ...options.files });
  const { token, repo, octokit, scratch } = world;
  const body = options.spec ?? fixSpec;
  const issue = await octokit.rest.issues.create({ owner: 'ada', repo: 'demo', title, body });
  const remoteUrl = `${world.github.url}/ada/demo.git`;
  const clone = await openClone({ dir: join(scratch, 'look.git'), remoteUrl, token: async () => token });
  await clone.fetch();
  const carry = options.carry === undefined ? null : await options.carry(world, first);
  const base = options.landed === undefined ? first : await world.push(options.landed, { branch: 'main' });
  await clone.fetch();
  const contract = await contractOf(
    clone,
    repo.id,
    issue.data.number,
    base,
    body,
    policyText,
    carry,
    options,
  );
  const contractDigest = digestValue(contract);
  let task = taskOf(contract, contractDigest, issue.data.id);
  let repository = repositoryOf(repo.id, base);
  const others: Record<string, string> = {};
  const pushState = () =>
    world.push(
      {
        ...others,
        [statePaths.task(contract.issue)]: stateJson(task),
        [statePaths.active(contract.issue)]: '{}\n',
        [statePaths.repository]: stateJson(repository),
      },
      { branch: 'ccd/state' },
    );
  await pushState();
  const artifacts = new Map<string, string>();
  const log: string[] = [];
  let looks = 0;
  world.github.mountRaw((_request, _response, url) => {
    if (url.pathname.endsWith('/info/refs') && url.searchParams.get('service') === 'git-upload-pack')
      looks += 1;
    return false;
  });
  return {
    ...world,
    contract,
    contractDigest,
    base,
    artifacts,
    log,
    clone,
    looks: () => looks,
    setState: async (change) => {
      task = change.task?.(task) ?? task;
      repository = change.repository?.(repository) ?? repository;
      await pushState();
    },
    as: (login) => {
      const { store } = world.github;
      const user = login === world.owner.login ? world.owner : createUser(store, login);
      return new Octokit({ baseUrl: `${world.github.url}/api/v3`, auth: createUserToken(store, user) });
    },
    addTask: async (other, candidate) => {
      const tree = oidSchema.parse(candidate.oid);
      const rest = { tree, baseTree: tree, attempt: `${other}.1`, sequence: 1, staticFindings: [] };
      const one = { ...task, issue: other, attempt: null, candidate: { ...candidate, ...rest } };
      others[statePaths.task(other)] = stateJson(taskStateSchema.parse(one));
      others[statePaths.active(other)] = '{}\n';
      await pushState();
    },
    agent: (script) => writeAgent(scratch, script),
    run: async (program, changes = {}, tools = {}) => {
      const job = jobOf(world, contract, contractDigest, program);
      return runAttempt({ ...job, ...changes }, { ...toolsOf(world, artifacts, log), ...tools });
    },
    artifactFile: (name, file) => readFile(join(artifacts.get(name) ?? '/missing', file), 'utf8'),
    handedOver: (sequence, path) => showHandover(clone, artifacts, contract, sequence, path),
    close: async () => {
      await clone.close();
      await world.close();
    },
  };
}

async function contractOf(
  clone: Clone,
  repositoryId: number,
  issue: number,
  base: string,
  body: string,
  policyText: string,
  carry: SpawnContract['carry'],
  options: TaskOptions,
): Promise<SpawnContract> {
  const policy = loadPolicy(policyText);
  if (policy.kind === 'invalid') throw new Error(JSON.stringify(policy.problems));
  const parsed = parseSpec(body, policy.policy, { repository: 'ada/demo', issue });
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
  return spawnContractSchema.parse({
    version: 1,
    repositoryId,
    issue,
    generation: 1,
    attempt: `${issue}.1`,
    attemptClass: 'mutable',
    profiles: ['localized'],
    base,
    baseTree: (await clone.objects.readCommit(base)).tree,
    bodyDigest: bodyDigest(title, body),
    specDigest: specDigest(parsed.spec),
    policyDigest: policy.digest,
    limits: {
      maxMicroUsd: 1_000_000,
      maxTurns: 20,
      maxTries: 3,
      wallClockMs: 60_000,
      silenceMs: 30_000,
      ...options.limits,
    },
    isolation: 'pid-namespace',
    carry,
  });
}

function taskOf(contract: SpawnContract, contractDigest: string, issueId: number): TaskState {
  const at = '2026-01-01T00:00:00.000Z';
  return taskStateSchema.parse({
    version: 1,
    issue: contract.issue,
    issueId,
    phase: 'running',
    reason: null,
    request: null,
    consumedEvents: [],
    labelledBy: [],
    bodyDigest: contract.bodyDigest,
    specDigest: contract.specDigest,
    dependsOn: [],
    generation: contract.generation,
    attempt: {
      id: contract.attempt,
      generation: contract.generation,
      contract,
      contractDigest,
      claimedAt: at,
      dispatches: 1,
      dispatchedAt: at,
      runId,
      boundAt: at,
      workingSince: null,
      stop: null,
      lastSequence: 0,
      report: null,
      microUsd: null,
      tries: 0,
      ended: false,
    },
    candidate: null,
    verdict: null,
    facts: null,
    handovers: [],
    refusedTrees: 0,
    carry: null,
    refused: null,
    pull: null,
    statusComment: null,
    guardCheck: null,
    landed: null,
    spent: { microUsd: 0, tries: 0, generations: 1, queueEntries: 0 },
    records: [],
    settled: false,
  });
}

function repositoryOf(repositoryId: number, adopted: string): RepositoryState {
  return repositoryStateSchema.parse({
    version: 1,
    repositoryId,
    adopted,
    ready: true,
    pause: null,
    frozen: false,
    controlIssue: null,
    nextBuild: 1,
    lastLanded: null,
    intents: {},
    waivers: [],
    consumedComments: [],
    answers: [],
    commentsSeenUntil: null,
  });
}

function jobOf(
  world: ActionsWorld,
  contract: SpawnContract,
  contractDigest: string,
  program: string,
): WorkerJob {
  return {
    attempt: contract.attempt,
    contractDigest,
    repo: { owner: 'ada', name: 'demo' },
    runId,
    runAttempt: 1,
    remoteUrl: `${world.github.url}/ada/demo.git`,
    token: world.token,
    findProgram: () => program,
    modelUrl: new URL('http://127.0.0.1:9'),
    modelKey,
    ephemeral: false,
    tempFolder: join(world.scratch, 'temp'),
    keepFolder: join(world.scratch, 'kept'),
    environment: { ...process.env, CCD_CANARY: jobToken },
    agentEnvironment: {},
    readable: [],
    writable: [],
    hidden: [],
    times: {
      ...defaultTimes,
      bindingTimeoutMs: 3000,
      bindingPollMs: 50,
      stopPollMs: 100,
      treePollMs: 100,
      treeGapMs: 20,
      kill: { interruptMs: 1500, terminateMs: 500 },
    },
  };
}

function toolsOf(world: ActionsWorld, artifacts: Map<string, string>, log: string[]): WorkerTools {
  const redactor = createRedactor([modelKey, world.token, jobToken]);
  return {
    client: createGitHubClient({
      baseUrl: `${world.github.url}/api/v3`,
      token: async () => world.token,
      clock: systemClock,
      random: () => 0,
      log: { debug: () => undefined, warn: () => undefined },
      userAgent: 'ccd-test',
      writeGapMs: 0,
    }),
    artifacts: folderArtifacts(join(world.scratch, 'artifacts'), artifacts),
    clock: systemClock,
    ids: randomIds,
    random: () => 0,
    redactor,
    log: createLog((line) => log.push(line), Date.now, redactor.clean),
    stop: new AbortController().signal,
  };
}

/** Keeps artifacts as folders: what the real service would keep as archives. */
function folderArtifacts(root: string, artifacts: Map<string, string>): ArtifactStore {
  return {
    upload: async ({ name, files }) => {
      const folder = join(root, name);
      await mkdir(folder, { recursive: true });
      for (const file of files) await cp(file, join(folder, basename(file)));
      artifacts.set(name, folder);
    },
  };
}

async function showHandover(
  clone: Clone,
  artifacts: Map<string, string>,
  contract: SpawnContract,
  sequence: number,
  path: string,
): Promise<string | null> {
  const folder = artifacts.get(`ccd-tree-${contract.attempt}-${sequence}`);
  if (folder === undefined) return null;
  const ref = `refs/look/${sequence}`;
  const bundle = join(folder, 'handover.bundle');
  await gitText({ gitDir: clone.dir, args: ['fetch', '--quiet', bundle, `+refs/ccd/handover:${ref}`] });
  const listed = await gitText({ gitDir: clone.dir, args: ['ls-tree', '-r', '-z', '--name-only', ref] });
  if (!listed.split('\0').includes(path)) return null;
  return gitText({ gitDir: clone.dir, args: ['cat-file', 'blob', `${ref}:${path}`] });
}

async function writeAgent(scratch: string, body: string): Promise<string> {
  const folder = join(scratch, 'agents');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `agent-${(await readdir(folder)).length}.mjs`);
  await writeFile(path, `${agentHead}\n${body}\n`);
  await chmod(path, 0o755);
  return path;
}

const agentHead = `#!${process.execPath}
import fs from 'node:fs';
import path from 'node:path';
import { execSync, spawnSync } from 'node:child_process';
if (process.argv.includes('--version')) { console.log('0.0.0-test'); process.exit(0); }
const emit = (event) => fs.writeSync(1, JSON.stringify(event) + '\\n');
const prompt = fs.readFileSync(0, 'utf8');
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
emit({ type: 'system', subtype: 'init', session_id: 's', model: 'scripted', claude_code_version: '0.0.0-test', tools: [] });
const tool = () => {
  emit({ type: 'assistant', message: { id: 'm' + Math.random(), model: 'scripted', content: [{ type: 'tool_use', name: 'Edit' }] } });
  emit({ type: 'user', message: { content: [{ type: 'tool_result' }] } });
};
const write = (file, text) => { fs.mkdirSync(path.dirname(file), { recursive: true }); fs.writeFileSync(file, text); tool(); };
const done = (result = 'Fixed it.') => emit({ type: 'result', subtype: 'success', is_error: false, result, num_turns: 1, total_cost_usd: 0 });
const fail = (fields) => { emit({ type: 'result', subtype: 'success', is_error: true, result: 'API Error', num_turns: 1, ...fields }); process.exit(1); };
const fix = () => write('src/add.mjs', 'export const add = (a, b) => a + b;\\n');
const addTest = () => fs.appendFileSync('test/add.test.mjs', "test('adds', () => assert.equal(add(1, 2), 3));\\n");
`;
