import { expect } from 'vitest';
import { behaviours, refusal } from './support/behaviours.ts';
import type { Target } from './support/target.ts';

const annotation = (line: number) => ({
  path: 'a.txt',
  start_line: line,
  end_line: line,
  annotation_level: 'warning' as const,
  message: `line ${line}`,
});
const lines = (count: number, from = 1) => Array.from({ length: count }, (_, at) => annotation(from + at));
const head = async (t: Target) => (await t.ref('refs/heads/main'))!;

behaviours('checks', [
  {
    does: 'people do not write check runs',
    source: 'REST, "Create a check run"; reference, limits, check run',
    show: async (t) => {
      const made = t.as('owner').rest.checks.create({ ...t.at, name: 'x', head_sha: await head(t) });
      expect((await refusal(made)).status).toBe(403);
    },
  },
  {
    does: '50 annotations a request, more are added by updates',
    source: 'checks/create, annotations; reference, limits, check run',
    needs: ['app'],
    show: async (t) => {
      const { checks } = t.as('app').rest;
      const head_sha = await head(t);
      const output = (count: number, from = 1) => ({
        title: 't',
        summary: 's',
        annotations: lines(count, from),
      });
      const tooMany = checks.create({ ...t.at, name: 'many', head_sha, output: output(51) });
      expect((await refusal(tooMany)).status).toBe(422);
      const { id } = (await checks.create({ ...t.at, name: 'many', head_sha, output: output(50) })).data;
      await checks.update({ ...t.at, check_run_id: id, output: output(10, 51) });
      const run = (await checks.get({ ...t.at, check_run_id: id })).data;
      expect(run.output.annotations_count).toBe(60);
      const second = await checks.listAnnotations({ ...t.at, check_run_id: id, per_page: 50, page: 2 });
      expect(second.data).toHaveLength(10);
    },
  },
  {
    does: 'summary and text hold 65,535 characters',
    source: 'checks/create, maxLength 65535; reference, limits, check run',
    needs: ['app'],
    show: async (t) => {
      const { checks } = t.as('app').rest;
      const wish = { ...t.at, name: 'long', head_sha: await head(t) };
      const full = 'x'.repeat(65_535);
      expect(
        (await checks.create({ ...wish, output: { title: 't', summary: full, text: full } })).status,
      ).toBe(201);
      const over = { title: 't', summary: `${full}x` };
      expect((await refusal(checks.create({ ...wish, output: over }))).status).toBe(422);
      const text = { title: 't', summary: 's', text: `${full}x` };
      expect((await refusal(checks.create({ ...wish, output: text }))).status).toBe(422);
    },
  },
  {
    does: 'only the app that made a check changes it',
    source: 'REST, "Update a check run"',
    needs: ['app', 'job token'],
    show: async (t) => {
      const byJob = t.asToken(t.jobToken({ checks: 'write' })).rest.checks;
      const head_sha = await head(t);
      const mine = (await t.as('app').rest.checks.create({ ...t.at, name: 'mine', head_sha })).data.id;
      const theirs = (await byJob.create({ ...t.at, name: 'mine', head_sha })).data.id;
      const done = { ...t.at, conclusion: 'success' as const };
      expect((await refusal(byJob.update({ ...done, check_run_id: mine }))).status).toBe(403);
      expect((await refusal(t.as('app').rest.checks.update({ ...done, check_run_id: theirs }))).status).toBe(
        403,
      );
      expect((await byJob.update({ ...done, check_run_id: theirs })).data.conclusion).toBe('success');
    },
  },
  {
    does: 'the newest run of a name is the latest; all of them are kept',
    source: 'checks/list-for-ref, filter',
    needs: ['app'],
    show: async (t) => {
      const { checks } = t.as('app').rest;
      const sha = await t.push('again', { 'again.txt': 'a' });
      const run = (conclusion: 'failure' | 'success') =>
        checks.create({ ...t.at, name: 'again', head_sha: sha, conclusion });
      await run('failure');
      const second = (await run('success')).data.id;
      const listed = async (filter: 'latest' | 'all') =>
        (await checks.listForRef({ ...t.at, ref: sha, filter })).data.check_runs.map((one) => one.id);
      expect(await listed('latest')).toEqual([second]);
      expect(await listed('all')).toHaveLength(2);
      const suites = (await checks.listSuitesForRef({ ...t.at, ref: sha, app_id: t.appId })).data;
      expect(suites.check_suites.map((suite) => suite.conclusion)).toEqual(['success']);
      expect(
        (await checks.rerequestSuite({ ...t.at, check_suite_id: suites.check_suites[0]!.id })).status,
      ).toBe(201);
      expect((await checks.rerequestRun({ ...t.at, check_run_id: second })).status).toBe(201);
    },
  },
  {
    does: 'a check is on a commit that exists, and completed with a conclusion',
    source: 'checks/create',
    needs: ['app'],
    show: async (t) => {
      const { checks } = t.as('app').rest;
      const nowhere = { ...t.at, name: 'x', head_sha: '1234567890'.repeat(4) };
      expect((await refusal(checks.create(nowhere))).status).toBe(422);
      const vague = checks.create({
        ...t.at,
        name: 'x',
        head_sha: await head(t),
        status: 'completed',
      } as never);
      expect((await refusal(vague)).status).toBe(422);
    },
  },
]);
