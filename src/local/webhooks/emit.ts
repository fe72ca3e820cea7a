import { presentIssue } from '../present/issue.ts';
import { presentLabel } from '../present/label.ts';
import { asPull, presentPull } from '../present/pull.ts';
import type { Actor } from '../principal.ts';
import type { Issue, Label } from '../records/issue.ts';
import type { Repo } from '../records/repository.ts';
import type { Store } from '../store.ts';

/**
 * Hands a webhook to delivery: every app installed on the repository and subscribed to `event` gets it.
 * `body` is what stands beside action, repository, sender, organization and installation.
 */
export function emitWebhook(
  store: Store,
  hook: {
    readonly event: string;
    readonly action: string | null;
    readonly repo: Repo;
    readonly actor: Actor;
    readonly body: Readonly<Record<string, unknown>>;
    readonly onlyAppId?: number;
  },
): void {
  store.events.emit('webhook', hook);
}

/** An `issues` webhook, or nothing for a pull request (those have their own event). */
export function emitIssue(
  store: Store,
  repo: Repo,
  issue: Issue,
  actor: Actor,
  action: string,
  extra: { readonly label?: Label; readonly changes?: unknown } = {},
): void {
  if (issue.pull) {
    emitPull(store, repo, issue, actor, action, extra);
    return;
  }
  const body = {
    issue: presentIssue(store.urls, repo, issue),
    ...(extra.label ? { label: presentLabel(store.urls, repo, extra.label) } : {}),
    ...(extra.changes ? { changes: extra.changes } : {}),
  };
  emitWebhook(store, { event: 'issues', action, repo, actor, body });
}

/** A `pull_request` webhook and the in-process event of the same name. */
export function emitPull(
  store: Store,
  repo: Repo,
  issue: Issue,
  actor: Actor,
  action: string,
  extra: {
    readonly label?: Label;
    readonly changes?: unknown;
    readonly before?: string;
    readonly after?: string;
  } = {},
): void {
  const pull = asPull(issue)!;
  store.events.emit('pullRequest', { repo, action, issue, actor });
  const { label, ...rest } = extra;
  const counts = { commits: 1, additions: 0, deletions: 0, changed_files: 0 };
  const body = {
    number: issue.number,
    pull_request: presentPull(store.urls, repo, pull, counts, null),
    ...(label ? { label: presentLabel(store.urls, repo, label) } : {}),
    ...rest,
  };
  emitWebhook(store, { event: 'pull_request', action, repo, actor, body });
}
