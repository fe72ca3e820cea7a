import type { EventFilter, Triggers } from '../workflow/triggers.ts';
import { matchesFilters } from './filter-pattern.ts';

/** A ref update as the filters see it. `paths` is asked for only when a path filter stands in the file. */
export interface PushFact {
  readonly kind: 'push';
  /** Full name, `refs/heads/…` or `refs/tags/…`. */
  readonly ref: string;
  readonly paths: () => Promise<readonly string[]>;
}

export interface PullRequestFact {
  readonly kind: 'pull_request' | 'pull_request_target';
  readonly action: string;
  readonly baseBranch: string;
  readonly paths: () => Promise<readonly string[]>;
}

const DEFAULT_ACTIVITY = ['opened', 'synchronize', 'reopened'];

function passes(name: string, include: readonly string[] | undefined, ignore: readonly string[] | undefined) {
  if (include !== undefined) return matchesFilters(name, include);
  return ignore === undefined || !matchesFilters(name, ignore);
}

async function pathsPass(filter: EventFilter, paths: () => Promise<readonly string[]>): Promise<boolean> {
  const include = filter.paths;
  const ignore = filter['paths-ignore'];
  if (include === undefined && ignore === undefined) return true;
  return (await paths()).some((path) => passes(path, include, ignore));
}

async function pushMatches(filter: EventFilter, push: PushFact): Promise<boolean> {
  const speaksOfBranches = filter.branches !== undefined || filter['branches-ignore'] !== undefined;
  const speaksOfTags = filter.tags !== undefined || filter['tags-ignore'] !== undefined;
  if (push.ref.startsWith('refs/tags/')) {
    // Path filters are not evaluated for tags; a file that only speaks of branches ignores tags.
    if (speaksOfBranches && !speaksOfTags) return false;
    return passes(push.ref.slice('refs/tags/'.length), filter.tags, filter['tags-ignore']);
  }
  if (!push.ref.startsWith('refs/heads/') || (speaksOfTags && !speaksOfBranches)) return false;
  const branch = push.ref.slice('refs/heads/'.length);
  if (!passes(branch, filter.branches, filter['branches-ignore'])) return false;
  return pathsPass(filter, push.paths);
}

/** Whether a workflow's `on:` is triggered by a push or a pull request event, by GitHub's filter rules. */
export async function eventMatches(triggers: Triggers, fact: PushFact | PullRequestFact): Promise<boolean> {
  if (fact.kind === 'push') return triggers.push !== undefined && pushMatches(triggers.push, fact);
  const filter = triggers[fact.kind];
  if (filter === undefined || !(filter.types ?? DEFAULT_ACTIVITY).includes(fact.action)) return false;
  if (!passes(fact.baseBranch, filter.branches, filter['branches-ignore'])) return false;
  return pathsPass(filter, fact.paths);
}

/** Whether a filter lets one kind of activity through; without `types`, all of them. */
export function activityMatches(filter: EventFilter | undefined, action: string): boolean {
  return filter !== undefined && (filter.types ?? [action]).includes(action);
}

/** Whether `workflow_run` is triggered by what happened to a run: its workflow by name, and the branch it ran for. */
export function runMatches(
  filter: Triggers['workflow_run'],
  run: { readonly action: string; readonly workflow: string; readonly branch: string | null },
): boolean {
  if (filter === undefined || !activityMatches(filter, run.action)) return false;
  if (filter.workflows !== undefined && !filter.workflows.includes(run.workflow)) return false;
  return passes(run.branch ?? '', filter.branches, filter['branches-ignore']);
}
