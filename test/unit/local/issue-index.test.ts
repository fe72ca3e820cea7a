import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { createComment, deleteComment } from '../../../src/local/issues/comments.ts';
import { createIssue } from '../../../src/local/issues/create.ts';
import { closeIssue, reopenIssue } from '../../../src/local/issues/edit.ts';
import {
  commentById,
  issueById,
  openCount,
  openPulls,
  placedComments,
  pullById,
} from '../../../src/local/issues/issue-index.ts';
import { deleteIssue } from '../../../src/local/issues/leave.ts';
import { type Actor, actorOf } from '../../../src/local/principal.ts';
import type { Issue } from '../../../src/local/records/issue.ts';
import type { Repo } from '../../../src/local/records/repository.ts';
import { createRepo, createUser } from '../../../src/local/seed.ts';
import { Store } from '../../../src/local/store.ts';

let store: Store;
let repo: Repo;
let actor: Actor;

beforeEach(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'ccd-index-'));
  store = new Store({ dataDir });
  const user = createUser(store, 'ann');
  repo = await createRepo(store, { owner: user, name: 'demo' });
  actor = actorOf({ kind: 'user', user })!;
  return () => rm(dataDir, { recursive: true, force: true });
});

const make = (title: string, pull: Issue['pull'] = null): Issue =>
  createIssue(store, repo, actor, { title, body: null, ...(pull ? { pull } : {}) });

function makePull(id: number): Issue {
  const end = { headRef: `b${id}`, headSha: 'a'.repeat(40), baseRef: 'main', baseSha: 'b'.repeat(40) };
  const merge = { merged: false, mergedAt: null, mergedBy: null, mergeCommitSha: null, mergeable: null };
  return make(`pull ${id}`, { id, nodeId: `PR_${id}`, draft: false, ...end, ...merge, reviews: [] });
}

/** What a look at every record says. */
const slowly = () => {
  const all = [...repo.issues.values()];
  const open = all.filter((issue) => issue.state === 'open');
  return {
    ids: all.map((issue) => issueById(repo, issue.id)),
    open: open.length,
    pulls: open.filter((issue) => issue.pull).map((issue) => issue.number),
    comments: all.flatMap((issue) => issue.comments.map((comment) => comment.id)).sort(),
  };
};

function agrees(): void {
  const slow = slowly();
  expect(slow.ids).toEqual([...repo.issues.values()]);
  expect(openCount(repo)).toBe(slow.open);
  expect(openPulls(repo).map((pull) => pull.number)).toEqual(slow.pulls);
  expect([...placedComments(repo)].map((one) => one.comment.id).sort()).toEqual(slow.comments);
}

it('says what a look at every record says, through creation, comments, closing, reopening and deletion', () => {
  const first = make('one');
  const pull = makePull(7);
  const comment = createComment(store, repo, first, actor, 'c');
  agrees();
  expect(pullById(repo, 7)).toBe(pull);
  expect(commentById(repo, comment.id)).toEqual({ issue: first, comment });
  closeIssue(store, repo, pull, actor);
  closeIssue(store, repo, first, actor);
  agrees();
  reopenIssue(store, repo, pull, actor);
  make('two');
  agrees();
  deleteComment(store, repo, first, comment, actor);
  agrees();
  createComment(store, repo, first, actor, 'again');
  deleteIssue(store, repo, actor, first);
  agrees();
  expect(issueById(repo, first.id)).toBeUndefined();
});

it('is built from records that were there before the first question', () => {
  const closed = make('closed');
  closed.state = 'closed';
  repo.issues.set(9, { ...closed, id: 99, number: 9, state: 'open' });
  repo.nextNumber = 10;
  const fresh: Repo = { ...repo };
  expect([issueById(fresh, 99)?.number, openCount(fresh)]).toEqual([9, 1]);
});
