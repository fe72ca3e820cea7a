import type { Actor } from '../../principal.ts';
import type { Repo } from '../../records/repository.ts';
import type { RunRecord } from '../runs/records.ts';
import { activityMatches } from './event-matches.ts';
import { type StartParts, startOnDefaultBranch } from './start-run.ts';

/** `repository_dispatch`: starts the default branch's workflows that listen to this type of event. */
export function dispatchRepository(
  parts: StartParts,
  order: {
    readonly repo: Repo;
    readonly actor: Actor;
    readonly type: string;
    readonly payload: Readonly<Record<string, unknown>>;
  },
): Promise<RunRecord[]> {
  const { repo, actor, type, payload } = order;
  return startOnDefaultBranch(parts, {
    repo,
    actor,
    event: 'repository_dispatch',
    body: { action: type, branch: repo.defaultBranch, client_payload: payload },
    wants: ({ repository_dispatch: filter }) => activityMatches(filter, type),
  });
}
