import type { LoggedCommit } from '../git/commit-log.ts';
import { ZERO_OID } from '../git/oid.ts';
import { branchOf, tagOf } from '../git/ref-name.ts';
import { accountOf } from '../present/commit.ts';
import { presentRepository } from '../present/repository.ts';
import type { Actor } from '../principal.ts';
import type { Repo } from '../records/repository.ts';
import type { Store } from '../store.ts';
import { emitWebhook } from '../webhooks/emit.ts';
import type { AppliedMove } from './after-move.ts';

/** Raises `create` or `delete`, then `push`, for one branch or tag. */
export function tellMove(store: Store, repo: Repo, actor: Actor, move: AppliedMove): void {
  const created = move.before === ZERO_OID;
  const deleted = move.after === ZERO_OID;
  if (created || deleted) {
    const branch = branchOf(move.ref);
    const body = {
      ref: branch ?? tagOf(move.ref)!,
      ref_type: branch === null ? 'tag' : 'branch',
      ...(created ? { master_branch: repo.defaultBranch, description: repo.description } : {}),
      pusher_type: 'user',
    };
    emitWebhook(store, { event: created ? 'create' : 'delete', action: null, repo, actor, body });
  }
  store.events.emit('push', {
    repo,
    ref: move.ref,
    before: move.before,
    after: move.after,
    created,
    deleted,
    forced: move.forced,
    actor,
  });
  const body = pushBody(store, repo, actor, move, created, deleted);
  emitWebhook(store, { event: 'push', action: null, repo, actor, body });
}

function pushBody(
  store: Store,
  repo: Repo,
  actor: Actor,
  move: AppliedMove,
  created: boolean,
  deleted: boolean,
): Record<string, unknown> {
  const commits = move.commits.map((commit) => presentPushed(store, repo, commit));
  const html = store.urls.repoHtml(repo);
  const range = created
    ? move.after.slice(0, 12)
    : `${move.before.slice(0, 12)}...${move.after.slice(0, 12)}`;
  return {
    ref: move.ref,
    before: move.before,
    after: move.after,
    created,
    deleted,
    forced: move.forced,
    base_ref: null,
    compare: `${html}/compare/${range}`,
    commits,
    head_commit: commits.at(-1) ?? null,
    pusher: { name: actor.user.login, email: actor.user.email },
    repository: {
      ...presentRepository(store.urls, repo),
      created_at: Math.floor(repo.createdAt / 1000),
      pushed_at: Math.floor(repo.pushedAt / 1000),
      master_branch: repo.defaultBranch,
      stargazers: 0,
    },
  };
}

function presentPushed(store: Store, repo: Repo, commit: LoggedCommit) {
  const paths = (statuses: string): string[] =>
    commit.changes.filter((change) => statuses.includes(change.status)).map((change) => change.path);
  const person = (one: LoggedCommit['author']) => {
    const login = accountOf(store, one.email)?.login;
    return { name: one.name, email: one.email, date: one.date, ...(login ? { username: login } : {}) };
  };
  return {
    id: commit.oid,
    tree_id: commit.tree,
    distinct: true,
    message: commit.message,
    timestamp: commit.committer.date,
    url: `${store.urls.repoHtml(repo)}/commit/${commit.oid}`,
    author: person(commit.author),
    committer: person(commit.committer),
    added: paths('A'),
    removed: paths('D'),
    modified: paths('MTRC'),
  };
}
