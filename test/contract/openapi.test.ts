import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CORE_ROUTES } from '../../src/local/api/routes.ts';
import { ContractValidator } from '../../src/local/contract/validate.ts';
import { type LocalWorld, openWorld } from './support/local-world.ts';

const r = { owner: 'acme', repo: 'demo' };
const MISSING = '1234567890'.repeat(4);

let world: LocalWorld;
let sha: string;

beforeAll(async () => {
  world = await openWorld();
  sha = (await world.repo.git.ref('refs/heads/main'))!;
});

afterAll(async () => {
  await world.close();
});

/** Status of a call that is expected to fail; -1 when it did not. */
async function refused(call: Promise<unknown>): Promise<number> {
  try {
    await call;
    return -1;
  } catch (error) {
    return (error as { status: number }).status;
  }
}

async function branch(name: string, message: string): Promise<string> {
  const script = `rm -rf w && git clone -q "${world.remote(world.tokens.owner)}" w && cd w && git checkout -q -b ${name}
    printf '%s\\n' "${message}" >> a.txt && printf 'n\\n' > "${name}.txt" && git rm -q src/b.txt && git add . && git commit -q -m "${message}"
    git push -q origin ${name} && git rev-parse HEAD`;
  const done = await world.sh(script);
  expect(done.code, done.out).toBe(0);
  return done.out.trim().split('\n').at(-1)!;
}

describe('answers follow GitHub’s OpenAPI description', () => {
  it('apps and installations', async () => {
    const { asJwt, asApp, installation } = world;
    expect((await asJwt.rest.apps.getAuthenticated()).data?.slug).toBe('ccd');
    expect((await asJwt.rest.apps.listInstallations()).data).toHaveLength(1);
    const id = installation.id;
    expect((await asJwt.rest.apps.getInstallation({ installation_id: id })).data.app_slug).toBe('ccd');
    expect(await refused(asJwt.rest.apps.getInstallation({ installation_id: 1 }))).toBe(404);
    expect((await asJwt.rest.apps.getRepoInstallation(r)).data.id).toBe(id);
    expect(await refused(world.asWriter.rest.apps.getAuthenticated())).toBe(401);
    const token = await asJwt.rest.apps.createInstallationAccessToken({
      installation_id: id,
      repositories: ['demo'],
      permissions: { contents: 'read' },
    });
    expect(token.data.token).toMatch(/^ghs_.{500,}/);
    const tooMuch = { installation_id: id, permissions: { packages: 'write' as const } };
    expect(await refused(asJwt.rest.apps.createInstallationAccessToken(tooMuch))).toBe(422);
    expect((await asApp.rest.apps.listReposAccessibleToInstallation()).data.total_count).toBe(1);
    expect((await asJwt.rest.apps.suspendInstallation({ installation_id: id })).status).toBe(204);
    const suspended = (await asJwt.rest.apps.getInstallation({ installation_id: id })).data;
    expect(suspended.suspended_by?.login).toBe('acme');
    expect(await refused(asJwt.rest.apps.createInstallationAccessToken({ installation_id: id }))).toBe(403);
    expect((await asJwt.rest.apps.unsuspendInstallation({ installation_id: id })).status).toBe(204);
  });

  it('rate limit and users', async () => {
    expect((await world.asApp.rest.rateLimit.get()).data.rate.limit).toBe(5000);
    expect((await world.asApp.rest.users.getByUsername({ username: 'wendy' })).data.id).toBe(world.writer.id);
    expect(await refused(world.asApp.rest.users.getByUsername({ username: 'nobody' }))).toBe(404);
    expect((await world.asWriter.rest.users.getAuthenticated()).data.login).toBe('wendy');
    expect(await refused(world.asApp.rest.users.getAuthenticated())).toBe(403);
  });

  it('repositories, branches, roles', async () => {
    const { asApp } = world;
    expect((await asApp.rest.repos.get(r)).data.default_branch).toBe('main');
    expect(await refused(asApp.rest.repos.get({ ...r, repo: 'none' }))).toBe(404);
    const level = (username: string) => asApp.rest.repos.getCollaboratorPermissionLevel({ ...r, username });
    expect((await level('wendy')).data.permission).toBe('write');
    expect((await level('ruth')).data.permission).toBe('read');
    expect(await refused(level('nobody'))).toBe(404);
    expect((await asApp.rest.repos.getBranch({ ...r, branch: 'main' })).data.commit.sha).toBe(sha);
    expect(await refused(asApp.rest.repos.getBranch({ ...r, branch: 'none' }))).toBe(404);
    expect((await asApp.rest.repos.listBranches(r)).data.map((one) => one.name)).toContain('main');
  });

  it('settings of a repository, and its end', async () => {
    const { asOwner, github } = world;
    const wish = { name: 'other', auto_init: true };
    expect((await asOwner.rest.repos.createForAuthenticatedUser(wish)).status).toBe(201);
    expect(await refused(asOwner.rest.repos.createForAuthenticatedUser(wish))).toBe(422);
    const inOrg = { org: 'acme', name: 'by-app' };
    expect((await world.asApp.rest.repos.createInOrg(inOrg)).data.full_name).toBe('acme/by-app');
    expect(await refused(world.asWriter.rest.repos.createInOrg({ ...inOrg, name: 'no' }))).toBe(403);
    const other = { owner: 'acme', repo: 'other' };
    const repo = github.store.repoByName('acme', 'other')!;
    expect((await asOwner.rest.repos.listCommits(other)).data).toHaveLength(1);
    const change = { ...other, description: 'd', archived: true };
    expect(await refused(world.asWriter.rest.repos.update(change))).toBe(403);
    expect(await refused(asOwner.rest.repos.update({ ...other, default_branch: 'none' }))).toBe(422);
    expect((await asOwner.rest.repos.update(change)).data).toMatchObject({
      archived: true,
      description: 'd',
    });
    expect(await refused(asOwner.rest.issues.create({ ...other, title: 'T' }))).toBe(403);
    expect((await asOwner.rest.repos.update({ ...other, archived: false })).data.archived).toBe(false);
    expect((await asOwner.rest.repos.update({ ...other, name: 'third' })).data.full_name).toBe('acme/third');
    expect((await asOwner.rest.repos.delete({ ...other, repo: 'third' })).status).toBe(204);
    expect(github.store.repos.has(repo.id)).toBe(false);
  });

  it('git data', async () => {
    const { git } = world.asApp.rest;
    expect((await git.getRef({ ...r, ref: 'heads/main' })).data.object.sha).toBe(sha);
    expect(await refused(git.getRef({ ...r, ref: 'heads/none' }))).toBe(404);
    expect((await git.createRef({ ...r, ref: 'refs/heads/made', sha })).status).toBe(201);
    expect(await refused(git.createRef({ ...r, ref: 'refs/heads/made', sha }))).toBe(422);
    expect((await git.listMatchingRefs({ ...r, ref: 'heads/ma' })).data).toHaveLength(2);
    const commit = (await git.getCommit({ ...r, commit_sha: sha })).data;
    expect(commit.message).toBe('First commit');
    expect(await refused(git.getCommit({ ...r, commit_sha: MISSING }))).toBe(404);
    const tree = (await git.getTree({ ...r, tree_sha: commit.tree.sha, recursive: '1' })).data.tree;
    expect(tree.map((entry) => entry.path)).toEqual(['a.txt', 'src', 'src/b.txt']);
    expect(await refused(git.getTree({ ...r, tree_sha: MISSING }))).toBe(404);
    const blob = (await git.createBlob({ ...r, content: 'hello' })).data.sha;
    const content = (await git.getBlob({ ...r, file_sha: blob })).data.content;
    expect(Buffer.from(content, 'base64').toString()).toBe('hello');
    expect(await refused(git.getBlob({ ...r, file_sha: MISSING }))).toBe(404);
    const moved = await branch('move', 'second');
    expect((await git.updateRef({ ...r, ref: 'heads/made', sha: moved })).data.object.sha).toBe(moved);
    expect(await refused(git.updateRef({ ...r, ref: 'heads/made', sha }))).toBe(422);
    expect((await git.updateRef({ ...r, ref: 'heads/made', sha, force: true })).data.object.sha).toBe(sha);
    expect((await git.deleteRef({ ...r, ref: 'heads/made' })).status).toBe(204);
    expect(await refused(git.deleteRef({ ...r, ref: 'heads/made' }))).toBe(422);
    await world.sh(`git tag -a v1 -m 'Version one' && git push -q origin v1`, 'w');
    const tag = (await git.getRef({ ...r, ref: 'tags/v1' })).data.object;
    expect(tag.type).toBe('tag');
    expect((await git.getTag({ ...r, tag_sha: tag.sha })).data.message).toBe('Version one');
    expect(await refused(git.getTag({ ...r, tag_sha: sha }))).toBe(404);
  });

  it('commits, comparison, contents', async () => {
    const head = await branch('compare', 'compare me');
    const { repos } = world.asApp.rest;
    expect((await repos.getCommit({ ...r, ref: head })).data.files).toHaveLength(3);
    expect(await refused(repos.getCommit({ ...r, ref: MISSING }))).toBe(422);
    expect((await repos.listCommits({ ...r, sha: 'compare' })).data).toHaveLength(2);
    const compared = (await repos.compareCommitsWithBasehead({ ...r, basehead: 'main...compare' })).data;
    expect([compared.status, compared.ahead_by, compared.files?.length]).toEqual(['ahead', 1, 3]);
    expect(await refused(repos.compareCommitsWithBasehead({ ...r, basehead: 'main...none' }))).toBe(404);
    const file = (await repos.getContent({ ...r, path: 'a.txt' })).data as { content: string };
    expect(Buffer.from(file.content, 'base64').toString()).toBe('one\n');
    expect((await repos.getContent({ ...r, path: '' })).data).toHaveLength(2);
    expect(await refused(repos.getContent({ ...r, path: 'none' }))).toBe(404);
  });

  it('issues, timeline, labels', async () => {
    const { issues } = world.asApp.rest;
    const { number } = (await issues.create({ ...r, title: 'Bug', body: 'B', labels: ['ccd:dispatch'] }))
      .data;
    const i = { ...r, issue_number: number };
    expect(await refused(issues.create({ ...r, title: 'x', body: 'y'.repeat(65_537) }))).toBe(422);
    expect((await issues.get(i)).data.title).toBe('Bug');
    expect(await refused(issues.get({ ...r, issue_number: 999 }))).toBe(404);
    await issues.update({ ...i, title: 'Bug 2', body: 'C', state: 'closed', state_reason: 'not_planned' });
    await issues.update({ ...i, state: 'open' });
    expect(await refused(world.asReader.rest.issues.update({ ...i, title: 'mine' }))).toBe(403);
    expect((await issues.listForRepo({ ...r, labels: 'ccd:dispatch' })).data).toHaveLength(1);
    expect((await issues.addLabels({ ...i, labels: ['extra'] })).data).toHaveLength(2);
    expect((await issues.listLabelsOnIssue(i)).data).toHaveLength(2);
    expect((await issues.setLabels({ ...i, labels: ['extra'] })).data).toHaveLength(1);
    expect((await issues.removeLabel({ ...i, name: 'extra' })).data).toHaveLength(0);
    expect(await refused(issues.removeLabel({ ...i, name: 'extra' }))).toBe(404);
    expect((await issues.removeAllLabels(i)).status).toBe(204);
    const events = (await issues.listEvents(i)).data.map((event) => event.event);
    expect(events).toEqual(['labeled', 'renamed', 'closed', 'reopened', 'labeled', 'unlabeled', 'unlabeled']);
    expect((await issues.listEventsForTimeline(i)).data.length).toBe(events.length);
  });

  it('labels of the repository', async () => {
    const { issues } = world.asApp.rest;
    expect((await issues.createLabel({ ...r, name: 'ccd:queued', color: '00ff00' })).status).toBe(201);
    expect(await refused(issues.createLabel({ ...r, name: 'CCD:queued' }))).toBe(422);
    expect((await issues.getLabel({ ...r, name: 'ccd:queued' })).data.color).toBe('00ff00');
    expect(await refused(issues.getLabel({ ...r, name: 'none' }))).toBe(404);
    const changed = await issues.updateLabel({ ...r, name: 'ccd:queued', description: 'in the queue' });
    expect(changed.data.description).toBe('in the queue');
    expect((await issues.listLabelsForRepo(r)).data.map((label) => label.name)).toContain('ccd:queued');
    expect((await issues.deleteLabel({ ...r, name: 'ccd:queued' })).status).toBe(204);
  });

  it('comments', async () => {
    const { issues } = world.asApp.rest;
    const { number } = (await issues.create({ ...r, title: 'Talk' })).data;
    const i = { ...r, issue_number: number };
    const comment = (await issues.createComment({ ...i, body: 'hello' })).data;
    const c = { ...r, comment_id: comment.id };
    expect(comment.performed_via_github_app?.slug).toBe('ccd');
    expect(await refused(issues.createComment({ ...i, body: '' }))).toBe(422);
    expect((await issues.getComment(c)).data.body).toBe('hello');
    expect(await refused(issues.getComment({ ...r, comment_id: 1 }))).toBe(404);
    expect((await issues.updateComment({ ...c, body: 'changed' })).data.body).toBe('changed');
    expect((await issues.listComments(i)).data).toHaveLength(1);
    expect((await issues.listCommentsForRepo(r)).data).toHaveLength(1);
    expect((await issues.listEventsForTimeline(i)).data).toHaveLength(1);
    expect((await issues.deleteComment(c)).status).toBe(204);
  });

  it('locked conversations', async () => {
    const { issues } = world.asApp.rest;
    const { number } = (await issues.create({ ...r, title: 'Heated' })).data;
    const i = { ...r, issue_number: number };
    expect((await issues.lock({ ...i, lock_reason: 'too heated' })).status).toBe(204);
    expect((await issues.get(i)).data).toMatchObject({ locked: true, active_lock_reason: 'too heated' });
    expect(await refused(world.asReader.rest.issues.createComment({ ...i, body: 'x' }))).toBe(403);
    expect((await issues.unlock(i)).status).toBe(204);
    expect((await issues.listEventsForTimeline(i)).data.map((one) => one.event)).toEqual([
      'locked',
      'unlocked',
    ]);
  });

  it('sub-issues', async () => {
    const { issues } = world.asApp.rest;
    const make = async (title: string) => (await issues.create({ ...r, title })).data;
    const [parent, a, b] = [await make('Parent'), await make('A'), await make('B')];
    const p = { ...r, issue_number: parent.number };
    for (const child of [a, b])
      expect((await issues.addSubIssue({ ...p, sub_issue_id: child.id })).status).toBe(201);
    expect(await refused(issues.addSubIssue({ ...p, sub_issue_id: a.id }))).toBe(422);
    expect(await refused(issues.addSubIssue({ ...p, sub_issue_id: 1 }))).toBe(404);
    await issues.reprioritizeSubIssue({ ...p, sub_issue_id: b.id, before_id: a.id });
    expect((await issues.listSubIssues(p)).data.map((one) => one.number)).toEqual([b.number, a.number]);
    const above = await issues.getParent({ ...r, issue_number: a.number });
    expect(above.data.sub_issues_summary?.total).toBe(2);
    expect(await refused(issues.getParent(p))).toBe(404);
    expect((await issues.removeSubIssue({ ...p, sub_issue_id: a.id })).status).toBe(200);
    expect(await refused(issues.removeSubIssue({ ...p, sub_issue_id: a.id }))).toBe(404);
  });

  it('issue dependencies', async () => {
    const { issues } = world.asApp.rest;
    const a = (await issues.create({ ...r, title: 'A' })).data;
    const b = (await issues.create({ ...r, title: 'B, see #1' })).data;
    const onB = { ...r, issue_number: b.number };
    expect((await issues.addBlockedByDependency({ ...onB, issue_id: a.id })).status).toBe(201);
    expect(await refused(issues.addBlockedByDependency({ ...onB, issue_id: a.id }))).toBe(422);
    expect((await issues.listDependenciesBlockedBy(onB)).data.map((one) => one.number)).toEqual([a.number]);
    const blocking = await issues.listDependenciesBlocking({ ...r, issue_number: a.number });
    expect(blocking.data.map((one) => one.number)).toEqual([b.number]);
    expect((await issues.get(onB)).data.issue_dependencies_summary?.blocked_by).toBe(1);
    expect((await issues.removeDependencyBlockedBy({ ...onB, issue_id: a.id })).status).toBe(200);
    expect(await refused(issues.removeDependencyBlockedBy({ ...onB, issue_id: a.id }))).toBe(404);
    expect((await issues.listEventsForTimeline({ ...r, issue_number: 1 })).status).toBe(200);
  });

  it('pull requests and reviews', async () => {
    const head = await branch('feature', 'a feature');
    const { pulls } = world.asApp.rest;
    const input = { ...r, head: 'feature', base: 'main', title: 'Feature', body: 'text' };
    const made = (await pulls.create({ ...input, draft: true })).data;
    const p = { ...r, pull_number: made.number };
    expect([made.draft, made.head.sha, made.changed_files]).toEqual([true, head, 3]);
    expect(await refused(pulls.create(input))).toBe(422);
    expect(await refused(pulls.create({ ...input, head: 'none' }))).toBe(422);
    expect((await pulls.get(p)).data.merged).toBe(false);
    expect(await refused(pulls.get({ ...r, pull_number: 9999 }))).toBe(404);
    expect((await pulls.list({ ...r, head: 'acme:feature' })).data).toHaveLength(1);
    expect((await pulls.listFiles(p)).data.map((file) => file.status)).toContain('removed');
    expect((await pulls.listCommits(p)).data.map((commit) => commit.sha)).toEqual([head]);
    expect((await pulls.update({ ...p, title: 'New', state: 'closed' })).data.state).toBe('closed');
    expect((await pulls.update({ ...p, state: 'open' })).data.state).toBe('open');
    const byWriter = world.asWriter.rest.pulls;
    const review = (await byWriter.createReview({ ...p, event: 'APPROVE', commit_id: head })).data;
    expect([review.state, review.commit_id]).toEqual(['APPROVED', head]);
    expect(await refused(pulls.createReview({ ...p, event: 'APPROVE' }))).toBe(422);
    const change = { ...p, review_id: review.id, body: 'well done' };
    expect((await byWriter.updateReview(change)).data.body).toBe('well done');
    expect((await pulls.listReviews(p)).data).toHaveLength(1);
    const pending = (await byWriter.createReview({ ...p, body: 'later' })).data;
    const q = { ...p, review_id: pending.id };
    expect([pending.state, await refused(pulls.getReview(q))]).toEqual(['PENDING', 404]);
    expect((await byWriter.submitReview({ ...q, event: 'REQUEST_CHANGES' })).data.body).toBe('later');
    expect(await refused(byWriter.submitReview({ ...q, event: 'APPROVE' }))).toBe(422);
    expect((await pulls.getReview(q)).data.state).toBe('CHANGES_REQUESTED');
    expect(await refused(world.asReader.rest.pulls.dismissReview({ ...q, message: 'no' }))).toBe(403);
    expect((await pulls.dismissReview({ ...q, message: 'mended' })).data.state).toBe('DISMISSED');
    expect(await refused(pulls.dismissReview({ ...q, message: 'again' }))).toBe(422);
    expect(
      (await world.asApp.rest.issues.get({ ...r, issue_number: made.number })).data.pull_request,
    ).toBeDefined();
    expect(
      (await world.asApp.rest.issues.listEventsForTimeline({ ...r, issue_number: made.number })).status,
    ).toBe(200);
  });

  it('merges', async () => {
    const { pulls, repos } = world.asApp.rest;
    const head = await branch('to-merge', 'to merge');
    const merged = await repos.merge({ ...r, base: 'main', head: 'to-merge' });
    expect([merged.status, merged.data.parents?.map((one) => one.sha)]).toEqual([201, [sha, head]]);
    expect((await repos.merge({ ...r, base: 'main', head: 'to-merge' })).status).toBe(204);
    expect(await refused(repos.merge({ ...r, base: 'none', head: 'to-merge' }))).toBe(404);
    const pressed = await world.sh(
      'git fetch -q && git checkout -q -B pressed origin/main && echo p > p.txt && git add . && git commit -q -m p && git push -q origin pressed',
      'w',
    );
    expect(pressed.code, pressed.out).toBe(0);
    const p = {
      ...r,
      pull_number: (await pulls.create({ ...r, title: 'P', head: 'pressed', base: 'main' })).data.number,
    };
    expect(await refused(pulls.checkIfMerged(p))).toBe(404);
    expect(await refused(pulls.merge({ ...p, sha: MISSING }))).toBe(409);
    await world.sh('git checkout -q -B side origin/main && git commit -q --allow-empty -m side', 'w');
    await world.sh('git push -q origin side:main', 'w');
    expect((await pulls.updateBranch(p)).status).toBe(202);
    expect((await pulls.merge(p)).data.merged).toBe(true);
    expect((await pulls.checkIfMerged(p)).status).toBe(204);
    expect(await refused(pulls.merge(p))).toBe(405);
    sha = (await world.repo.git.ref('refs/heads/main'))!;
  });

  it('check runs and suites', async () => {
    const { checks } = world.asApp.rest;
    const annotation = (line: number) => ({
      path: 'a.txt',
      start_line: line,
      end_line: line,
      annotation_level: 'failure' as const,
      message: 'wrong',
    });
    const output = { title: 'T', summary: 'S', annotations: [annotation(1)] };
    const run = (
      await checks.create({ ...r, name: 'ccd / guard', head_sha: sha, status: 'in_progress', output })
    ).data;
    const c = { ...r, check_run_id: run.id };
    expect(run.app?.slug).toBe('ccd');
    expect(await refused(world.asWriter.rest.checks.create({ ...r, name: 'x', head_sha: sha }))).toBe(403);
    const many = { summary: 's', annotations: Array.from({ length: 51 }, (_, line) => annotation(line + 1)) };
    expect(await refused(checks.update({ ...c, output: many }))).toBe(422);
    expect((await checks.update({ ...c, conclusion: 'failure' })).data.status).toBe('completed');
    expect((await checks.get(c)).data.conclusion).toBe('failure');
    expect(await refused(checks.get({ ...r, check_run_id: 1 }))).toBe(404);
    expect((await checks.listAnnotations(c)).data).toHaveLength(1);
    const listed = await checks.listForRef({
      ...r,
      ref: 'main',
      check_name: 'ccd / guard',
      app_id: world.app.id,
    });
    expect(listed.data.check_runs.map((one) => one.id)).toEqual([run.id]);
    const suites = (await checks.listSuitesForRef({ ...r, ref: sha })).data.check_suites;
    expect(suites.map((suite) => suite.conclusion)).toEqual(['failure']);
    const s = { ...r, check_suite_id: suites[0]!.id };
    expect((await checks.getSuite(s)).data.head_sha).toBe(sha);
    expect((await checks.listForSuite(s)).data.total_count).toBe(1);
    expect((await checks.rerequestRun(c)).status).toBe(201);
    expect((await checks.rerequestSuite(s)).status).toBe(201);
    expect((await checks.createSuite({ ...r, head_sha: sha })).status).toBe(200);
    const tip = (await world.repo.git.ref('refs/heads/compare'))!;
    expect((await checks.createSuite({ ...r, head_sha: tip })).status).toBe(201);
    expect(await refused(checks.createSuite({ ...r, head_sha: MISSING }))).toBe(422);
  });

  it('commit statuses', async () => {
    const { repos } = world.asApp.rest;
    expect((await repos.createCommitStatus({ ...r, sha, state: 'success', context: 'ci' })).status).toBe(201);
    expect(await refused(repos.createCommitStatus({ ...r, sha: MISSING, state: 'success' }))).toBe(422);
    expect((await repos.listCommitStatusesForRef({ ...r, ref: sha })).data).toHaveLength(1);
    expect((await repos.getCombinedStatusForRef({ ...r, ref: 'main' })).data.state).toBe('success');
    expect(await refused(repos.getCombinedStatusForRef({ ...r, ref: 'none' }))).toBe(404);
  });

  it('rulesets', async () => {
    const { repos } = world.asApp.rest;
    const ruleset = {
      ...r,
      name: 'ownership',
      enforcement: 'active' as const,
      bypass_actors: [
        { actor_id: world.app.id, actor_type: 'Integration' as const, bypass_mode: 'always' as const },
      ],
      conditions: { ref_name: { include: ['refs/heads/ccd/**/*'], exclude: [] } },
      rules: [
        { type: 'creation' as const },
        { type: 'update' as const },
        {
          type: 'required_status_checks' as const,
          parameters: {
            strict_required_status_checks_policy: false,
            required_status_checks: [{ context: 'ci', integration_id: world.app.id }],
          },
        },
      ],
    };
    const made = (await repos.createRepoRuleset(ruleset)).data;
    const one = { ...r, ruleset_id: made.id };
    expect(await refused(repos.createRepoRuleset(ruleset))).toBe(422);
    expect((await repos.getRepoRuleset(one)).data.rules).toHaveLength(3);
    expect(await refused(repos.getRepoRuleset({ ...r, ruleset_id: 1 }))).toBe(404);
    expect((await repos.getRepoRulesets(r)).data).toHaveLength(1);
    expect((await repos.getBranchRules({ ...r, branch: 'ccd/x' })).data).toHaveLength(3);
    expect((await repos.updateRepoRuleset({ ...one, enforcement: 'disabled' })).data.enforcement).toBe(
      'disabled',
    );
    expect(await refused(world.asWriter.rest.repos.deleteRepoRuleset(one))).toBe(403);
    expect((await repos.deleteRepoRuleset(one)).status).toBe(204);
  });

  it('every served operation was exercised, nothing broke the description', async () => {
    await world.github.deliveries.idle();
    const contract = world.github.contract!;
    const served = CORE_ROUTES.map((route) => route.operationId).filter((id) => id !== 'graphql');
    const exercised = served.filter((id) => contract.seenOperations.has(id));
    process.stdout.write(
      `contract: ${exercised.length} operations validated of ${served.length} served, ` +
        `${contract.seenWebhooks.size} kinds of webhook\n`,
    );
    expect(contract.violations).toEqual([]);
    expect(served.filter((id) => !contract.seenOperations.has(id))).toEqual([]);
  });
});

describe('the check itself', () => {
  it('serves every operation under the method and path of the description', () => {
    const { operations } = world.github.contract!.description;
    for (const route of CORE_ROUTES.filter((one) => one.operationId !== 'graphql')) {
      const described = operations[route.operationId];
      expect([route.operationId, described?.method, described?.path]).toEqual([
        route.operationId,
        route.method,
        route.path,
      ]);
    }
  });

  it('turns a broken field into a failing request', async () => {
    const label = { id: 1, node_id: 'x', url: 'u', name: 'n', description: null, color: 7, default: false };
    world.github.mount([
      {
        operationId: 'issues/get-label',
        method: 'GET',
        path: '/broken',
        access: { kind: 'public' },
        handler: () => ({ status: 200, body: label }),
      },
    ]);
    const answer = await fetch(`${world.github.url}/broken`);
    expect(answer.status).toBe(500);
    expect(((await answer.json()) as { message: string }).message).toContain('/color must be string');
    world.github.contract!.violations.pop();
  });

  it('refuses statuses that the description does not know, and unknown operations', async () => {
    const contract = await ContractValidator.load();
    expect(contract.answer('issues/get-label', 207, {})?.details).toEqual([
      'the description has no such status',
    ]);
    expect(contract.answer('issues/no-such', 200, {})).not.toBeNull();
    expect(contract.request('issues/create', { title: ['no'] })?.subject).toBe('issues/create request');
    expect(contract.webhook('issues', 'labeled', { action: 'labeled' })?.details.join()).toContain('issue');
  });
});
