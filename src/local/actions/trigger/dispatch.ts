import type { Actor } from '../../principal.ts';
import type { Repo } from '../../records/repository.ts';
import type { RunRecord } from '../runs/records.ts';
import { triggersOf } from '../workflow/parse-workflow.ts';
import { readDispatchInputs } from './dispatch-inputs.ts';
import { readHeadCommit } from './head-commit.ts';
import { causeOnRef, eventPayload, type StartParts, startRun } from './start-run.ts';

export type Dispatch =
  | { readonly kind: 'started'; readonly run: RunRecord }
  | { readonly kind: 'refused'; readonly status: 404 | 422; readonly message: string };

const refused = (status: 404 | 422, message: string): Dispatch => ({ kind: 'refused', status, message });

/** The full ref that a dispatch names: in full, else a branch, else a tag. */
async function resolveRef(
  repo: Repo,
  ref: string,
): Promise<{ readonly ref: string; readonly oid: string } | null> {
  const candidates = ref.startsWith('refs/') ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
  for (const name of candidates) {
    if (!/^refs\/(heads|tags)\//.test(name)) continue;
    const oid = await repo.git.ref(name);
    if (oid !== null) return { ref: name, oid };
  }
  return null;
}

/**
 * `workflow_dispatch`: the file must stand on the default branch (else GitHub does not know the workflow) and on the
 * ref, whose version is the one that runs.
 */
export async function dispatchWorkflow(
  parts: StartParts,
  order: {
    readonly repo: Repo;
    readonly path: string;
    readonly ref: string;
    readonly inputs: Readonly<Record<string, unknown>>;
    readonly actor: Actor;
  },
): Promise<Dispatch> {
  const { repo, path, actor } = order;
  const { files } = parts;
  const trunk = await repo.git.ref(`refs/heads/${repo.defaultBranch}`);
  if (trunk === null || (await files.read(repo, trunk, path)) === null) return refused(404, 'Not Found');
  const target = await resolveRef(repo, order.ref);
  const headCommit = target === null ? null : await readHeadCommit(repo, target.oid);
  if (target === null || headCommit === null) return refused(422, `No ref found for: ${order.ref}`);
  const reading = await files.read(repo, headCommit.id, path);
  if (reading === null) return refused(422, `Workflow file ${path} does not exist on ${order.ref}`);
  if (reading.kind === 'invalid')
    return refused(422, `Failed to parse workflow: ${reading.problems.join('; ')}`);
  const triggers = triggersOf(reading);
  if (triggers.workflow_dispatch === undefined)
    return refused(422, "Workflow does not have 'workflow_dispatch' trigger");
  const read = readDispatchInputs(triggers.workflow_dispatch.inputs ?? {}, order.inputs);
  if (read.kind === 'refused') return refused(422, read.message);
  const payload = {
    // `inputs` keeps the types, the event has texts alone.
    inputs: Object.fromEntries(Object.entries(read.inputs).map(([name, value]) => [name, String(value)])),
    ref: target.ref,
    workflow: path,
  };
  const onRef = causeOnRef(
    'workflow_dispatch',
    target.ref,
    headCommit,
    eventPayload(parts.store, repo, actor, payload),
  );
  const run = await startRun(parts, { repo, path, reading, actor, cause: { ...onRef, inputs: read.inputs } });
  return { kind: 'started', run };
}
