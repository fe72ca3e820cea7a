import { z } from 'zod';
import type { IssueNumber } from '../../domain/ids.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { ensureLabel, type LabelDefinition } from './ensure-label.ts';
import { removeLabel } from './remove-label.ts';
import { outcomeOf, type WriteOutcome } from './write-outcome.ts';

export interface LabelChange {
  readonly number: IssueNumber;
  readonly add: readonly string[];
  readonly remove: readonly string[];
  /** Labels that are made first, with their colour, when they are to be added; GitHub makes others grey. */
  readonly definitions?: readonly LabelDefinition[];
}

/** Adds and removes labels of an issue or pull request; others stay as they are. Safe to repeat. Stops at the first that fails. */
export async function setLabels(
  client: GitHubClient,
  repo: RepoName,
  change: LabelChange,
): Promise<WriteOutcome> {
  for (const definition of change.definitions ?? []) {
    if (!change.add.includes(definition.name)) continue;
    const outcome = await ensureLabel(client, repo, definition);
    if (outcome.kind !== 'done' && outcome.kind !== 'exists') return outcome;
  }
  for (const name of change.remove) {
    const outcome = await removeLabel(client, repo, { number: change.number, name });
    if (outcome.kind !== 'done' && outcome.kind !== 'exists') return outcome;
  }
  if (change.add.length === 0) return { kind: change.remove.length === 0 ? 'exists' : 'done' };
  const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels';
  const params = { ...repoParams(repo), issue_number: change.number, labels: change.add };
  return outcomeOf(await client.write(route, params, z.unknown()), () => ({}));
}
