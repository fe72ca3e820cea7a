import { z } from 'zod';
import { repoAccess } from '../access.ts';
import { isAncestor } from '../git/ancestry.ts';
import { logCommits } from '../git/commit-log.ts';
import { resolveCommit } from '../git/resolve.ts';
import { presentCommit } from '../present/commit.ts';
import { issueHtml } from '../present/issue.ts';
import type { PullIssue } from '../present/pull.ts';
import { mergePull } from '../pulls/merge.ts';
import { commitFor, mergedTree } from '../refs/merge-commits.ts';
import { moveRefs } from '../refs/move-refs.ts';
import {
  accepted,
  created,
  forbidden,
  noContent,
  notFound,
  ok,
  problem,
  type Reply,
  unprocessable,
} from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { withBody, withPull } from './handle.ts';
import { refusalReply, ruleText } from './refusals.ts';

type Merge =
  | { readonly kind: 'merged'; readonly oid: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly reply: Reply };

/** Merges a commit into a branch by a merge commit, even where a fast-forward would do. */
async function mergeInto(ctx: Context, branch: string, head: string, message: string): Promise<Merge> {
  const { git } = ctx.repo;
  const ref = `refs/heads/${branch}`;
  const before = (await git.ref(ref))!;
  if (await isAncestor(git, head, before)) return { kind: 'nothing' };
  const tree = await mergedTree(git, before, head);
  if (tree === null) return { kind: 'refused', reply: problem(409, 'Merge conflict') };
  const parents = [before, head];
  const oid = commitFor(git, ctx.actor.user, ctx.store.now(), { tree, parents, message });
  const update = { ref, oldOid: before, newOid: oid };
  const [outcome] = await moveRefs(ctx.store, ctx.repo, ctx.principal, [update], { atomic: true });
  if (outcome!.kind === 'moved') return { kind: 'merged', oid };
  return { kind: 'refused', reply: refusalReply(outcome!) };
}

const Branches = z.object({ base: z.string(), head: z.string(), commit_message: z.string().optional() });

async function mergeBranches(ctx: Context, body: z.infer<typeof Branches>): Promise<Reply> {
  const { git } = ctx.repo;
  if (!(await git.ref(`refs/heads/${body.base}`))) return problem(404, 'Base does not exist');
  const head = await resolveCommit(git, body.head);
  if (!head) return problem(404, 'Head does not exist');
  const message = body.commit_message ?? `Merge ${body.head} into ${body.base}`;
  const merge = await mergeInto(ctx, body.base, head, message);
  if (merge.kind === 'nothing') return noContent();
  if (merge.kind === 'refused') return merge.reply;
  const [commit] = await logCommits(git, [merge.oid], {}, 1);
  return created(presentCommit(ctx.store, ctx.repo, commit!));
}

const Button = z.object({
  commit_title: z.string().optional(),
  commit_message: z.string().optional(),
  sha: z.string().optional(),
  merge_method: z.enum(['merge', 'squash', 'rebase']).default('merge'),
});

/** 405 whatever stands in the way of a merge, 409 when the head is not the one that the caller looked at. */
async function pressButton(ctx: Context, issue: PullIssue, body: z.infer<typeof Button>): Promise<Reply> {
  if (issue.state === 'closed') return problem(405, 'Pull Request is not mergeable');
  if (issue.pull.draft) return problem(405, 'Pull Request is still a draft');
  if (body.sha !== undefined && body.sha !== issue.pull.headSha)
    return problem(409, 'Head branch was modified. Review and try the merge again.');
  if (body.merge_method === 'rebase')
    return problem(405, 'Rebase merges are not allowed on this repository.');
  const merge = await mergePull(ctx.store, ctx.repo, ctx.principal, issue, {
    method: body.merge_method,
    title: body.commit_title,
    message: body.commit_message,
  });
  if (merge.kind === 'merged')
    return ok({ sha: merge.oid, merged: true, message: 'Pull Request successfully merged' });
  if (merge.kind === 'conflict') return problem(405, 'Pull Request is not mergeable');
  if (merge.outcome.cause === 'workflows') return forbidden(merge.outcome.reason);
  if (merge.outcome.cause === 'rules') return problem(405, ruleText(merge.outcome));
  return problem(405, 'Base branch was modified. Review and try the merge again.');
}

const Update = z.object({ expected_head_sha: z.string().optional() });

/** Brings a pull request's head branch up to date with its base. */
async function updateBranch(ctx: Context, issue: PullIssue, body: z.infer<typeof Update>): Promise<Reply> {
  const { headRef, headSha, baseRef, baseSha } = issue.pull;
  if (body.expected_head_sha !== undefined && body.expected_head_sha !== headSha)
    return unprocessable('expected head sha didn’t match current head ref.');
  if (issue.state === 'closed') return unprocessable('The pull request is closed.');
  const merge = await mergeInto(ctx, headRef, baseSha, `Merge branch '${baseRef}' into ${headRef}`);
  if (merge.kind === 'nothing') return unprocessable('There are no new commits on the base branch.');
  if (merge.kind === 'refused' && merge.reply.status === 409)
    return unprocessable('merge conflict between base and head');
  if (merge.kind === 'refused') return merge.reply;
  const url = issueHtml(ctx.urls, ctx.repo, issue);
  return accepted({ message: 'Updating pull request branch.', url });
}

const write = repoAccess('contents:write');
const pull = '/repos/{owner}/{repo}/pulls/{pull_number}';

export const mergeRoutes: readonly Route[] = [
  {
    operationId: 'repos/merge',
    method: 'POST',
    path: '/repos/{owner}/{repo}/merges',
    access: write,
    handler: withBody(Branches, mergeBranches),
  },
  {
    operationId: 'pulls/check-if-merged',
    method: 'GET',
    path: `${pull}/merge`,
    access: repoAccess('pull_requests:read'),
    handler: withPull((_, issue) => (issue.pull.merged ? noContent() : notFound())),
  },
  {
    operationId: 'pulls/merge',
    method: 'PUT',
    path: `${pull}/merge`,
    access: write,
    handler: withBody(Button, (ctx, body) => withPull((_, issue) => pressButton(ctx, issue, body))(ctx)),
  },
  {
    operationId: 'pulls/update-branch',
    method: 'PUT',
    path: `${pull}/update-branch`,
    access: repoAccess('pull_requests:write'),
    handler: withBody(Update, (ctx, body) => withPull((_, issue) => updateBranch(ctx, issue, body))(ctx)),
  },
];
