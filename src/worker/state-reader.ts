import type { AttemptId } from '../domain/attempt.ts';
import { parseAttemptId } from '../domain/attempt.ts';
import { CcdError } from '../domain/errors.ts';
import type { Oid } from '../domain/ids.ts';
import { repositoryStateSchema, statePaths, taskStateSchema } from '../domain/state.ts';
import type { Clone } from '../git/bare-clone.ts';
import { stateRef } from '../git/refs.ts';
import { readStateFile, type StateFile } from '../git/state-branch.ts';
import { type Binding, type Claimant, judgeBinding } from './binding.ts';
import { fetchShallow } from './fetch-shallow.ts';

/** Asks the state branch, as it is now, whether this run may work. */
export type ReadBinding = () => Promise<Binding>;

/** Reads over git: what did not move since the last look costs one small request. */
export function createBindingReader(clone: Clone, claimant: Claimant): ReadBinding {
  let seen: { readonly commit: Oid; readonly binding: Binding } | null = null;
  return async () => {
    const commit = (await clone.lsRemote([stateRef])).get(stateRef) ?? null;
    if (commit === null) throw unreadable('the state branch is missing');
    if (seen?.commit === commit) return seen.binding;
    if (!(await fetchShallow(clone, [commit]))) throw unreadable('the state commit cannot be fetched');
    const binding = await readBinding(clone, commit, claimant);
    seen = { commit, binding };
    return binding;
  };
}

async function readBinding(clone: Clone, commit: Oid, claimant: Claimant): Promise<Binding> {
  const path = statePaths.task(issueOf(claimant.attempt));
  const [task, repository] = [
    await readStateFile(clone.objects, commit, path, taskStateSchema),
    await readStateFile(clone.objects, commit, statePaths.repository, repositoryStateSchema),
  ];
  return judgeBinding(contentOf(task, path), contentOf(repository, statePaths.repository), claimant);
}

function contentOf<T>(file: StateFile<T>, path: string): T | null {
  if (file.kind === 'read') return file.value;
  if (file.kind === 'absent') return null;
  throw unreadable(`${path} is ${file.kind}`);
}

function issueOf(attempt: AttemptId): number {
  const parsed = parseAttemptId(attempt);
  if (parsed === null) throw unreadable(`"${attempt.slice(0, 40)}" is no attempt`);
  return parsed.issue;
}

function unreadable(what: string): CcdError {
  return new CcdError({
    code: 'worker.state-unreadable',
    message: `This run cannot learn whether it may work: ${what}.`,
    remedy: 'Look at the supervisor: it reports what is wrong with the state branch.',
    audience: 'operator',
  });
}
