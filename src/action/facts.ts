import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { artifactNames } from '../domain/contract.ts';
import { type Digest, digestSchema, digestValue } from '../domain/digest.ts';
import { CcdError } from '../domain/errors.ts';
import { type Facts, type FactsPlan, factsPlanSchema, factsSchema } from '../domain/facts.ts';
import { executeFacts } from '../facts/execute-facts.ts';
import { fetchCommits } from '../facts/fetch-commits.ts';
import { localImage } from '../facts/local-image.ts';
import type { Clock } from '../host/clock.ts';
import { removeTree } from '../host/remove-tree.ts';
import { createSandbox } from '../host/sandbox.ts';
import type { ArtifactStore } from '../worker/artifact-store.ts';
import { uploadWithRetries } from '../worker/upload.ts';

/** Inputs of the action for `command: facts`, as texts. */
export interface FactsInputs {
  /** The plan as JSON. */
  readonly plan: string;
  readonly planDigest: string;
  /** Which try of this plan it is: part of the artifact's name. */
  readonly try: string;
  /** Reads contents of the repository; nothing that is executed sees it. */
  readonly token: string;
  /** The machine is thrown away after the job, so that weak isolation is acceptable. */
  readonly ephemeral: boolean;
}

export interface FactsIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder for everything that the job writes. */
  readonly tempDir: string;
  readonly artifacts: ArtifactStore;
  readonly clock: Clock;
  /** Takes only words of ours: nothing that a test printed is ever shown to the runner. */
  readonly log: (line: string) => void;
}

/**
 * Body of `command: facts`: fetches the plan's two commits, executes it, and hands the facts over as an artifact. Throws
 * CcdError `facts.plan` (bug) for a plan that is not what was dispatched, `facts.upload` when the artifact cannot be stored.
 */
export async function runFactsCommand(inputs: FactsInputs, io: FactsIo): Promise<Facts> {
  const { plan, digest, attempt } = readInputs(inputs);
  const root = await mkdtemp(join(io.tempDir, 'ccd-f-'));
  try {
    const gitDir = join(root, 'g');
    await fetchCommits({
      gitDir,
      remoteUrl: remoteOf(io.env),
      token: inputs.token,
      oids: [plan.base, plan.head],
    });
    const facts = await execute(plan, gitDir, join(root, 'x'), inputs, io);
    await upload(facts, artifactNames.facts(digest, attempt), join(root, 'a'), io);
    return facts;
  } finally {
    await removeTree(root);
  }
}

function readInputs(inputs: FactsInputs): { plan: FactsPlan; digest: Digest; attempt: number } {
  const plan = factsPlanSchema.safeParse(parseJson(inputs.plan));
  const digest = digestSchema.safeParse(inputs.planDigest);
  const attempt = Number(inputs.try);
  if (!plan.success || !digest.success || !Number.isSafeInteger(attempt) || attempt < 1) {
    throw badPlan('The inputs plan, plan-digest and try do not have the form that the app gives them.');
  }
  if (digestValue(plan.data) !== digest.data) throw badPlan('The plan is not the one that its digest names.');
  return { plan: plan.data, digest: digest.data, attempt };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function badPlan(message: string): CcdError {
  return new CcdError({
    code: 'facts.plan',
    message,
    remedy: 'This workflow is started by the app alone; do not dispatch it by hand.',
    audience: 'operator',
  });
}

function remoteOf(env: FactsIo['env']): string {
  return `${env.GITHUB_SERVER_URL ?? 'https://github.com'}/${env.GITHUB_REPOSITORY ?? ''}.git`;
}

async function execute(
  plan: FactsPlan,
  gitDir: string,
  workDir: string,
  { ephemeral }: FactsInputs,
  io: FactsIo,
): Promise<Facts> {
  await mkdir(workDir);
  const sandbox = await createSandbox({ minimum: ephemeral ? 'none' : 'pid-namespace', ephemeral });
  return await executeFacts(plan, {
    gitDir,
    workDir,
    sandbox,
    env: io.env,
    runnerImage: imageOf(io.env),
    onProgress: ({ side, index, done, of }) => io.log(`${side} ${index} (${done} of ${of} runs done)`),
  });
}

/** GitHub's own images carry their name and version in the environment. */
function imageOf({ ImageOS, ImageVersion }: FactsIo['env']): string {
  return ImageOS === undefined ? localImage() : `${ImageOS}-${ImageVersion ?? 'unknown'}`.slice(0, 200);
}

async function upload(facts: Facts, name: string, folder: string, io: FactsIo): Promise<void> {
  await mkdir(folder);
  const file = join(folder, 'facts.json');
  await writeFile(file, JSON.stringify(factsSchema.parse(facts)));
  if (await uploadWithRetries(io.artifacts, { name, files: [file], folder }, io.clock)) return;
  throw new CcdError({
    code: 'facts.upload',
    message: 'The facts could not be stored as an artifact.',
    remedy: 'The app asks for the facts again.',
    audience: 'operator',
    retryable: true,
  });
}
