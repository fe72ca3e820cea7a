import { expect } from 'vitest';
import { behaviours, refusal } from './support/behaviours.ts';
import type { Target } from './support/target.ts';

const issues = (t: Target) => t.as('owner').rest.issues;
const make = async (t: Target, title: string, more: object = {}) =>
  (await issues(t).create({ ...t.at, title, ...more })).data;

/** Each is one character of four bytes, and two UTF-16 units. */
const wide = (count: number): string => '😀'.repeat(count);

behaviours('issues and their limits', [
  {
    does: 'a body holds 65,536 characters, whatever their width; one more is 422 and nothing is cut',
    source: 'reference, issues as the graph, bodies; trstringer/manual-approval issue 89',
    show: async (t) => {
      const full = wide(65_536);
      const made = await make(t, 'Full', { body: full });
      expect(made.body).toBe(full);
      const over = await refusal(issues(t).create({ ...t.at, title: 'Over', body: `${full}x` }));
      expect(over.status).toBe(422);
      expect(over.errors[0]).toMatchObject({
        resource: 'Issue',
        code: 'custom',
        field: 'body',
        message: 'body is too long (maximum is 65536 characters)',
      });
    },
  },
  {
    does: 'a comment holds as much (262,144 bytes of four-byte characters), refused in words of its own',
    source: 'reference, issues as the graph, comment; easybuild-easyconfigs pull 24647',
    show: async (t) => {
      const at = { ...t.at, issue_number: (await make(t, 'Talk')).number };
      const full = wide(65_536);
      expect((await issues(t).createComment({ ...at, body: full })).data.body).toBe(full);
      const over = await refusal(issues(t).createComment({ ...at, body: `${full}x` }));
      expect(over.errors[0]).toMatchObject({
        resource: 'IssueComment',
        code: 'unprocessable',
        field: 'data',
        message: 'Body is too long (maximum is 65536 characters)',
      });
    },
  },
  {
    does: 'a title holds 256 characters, and is not empty',
    source: 'reference, issues as the graph, title',
    show: async (t) => {
      expect((await make(t, wide(256))).title).toBe(wide(256));
      const over = await refusal(issues(t).create({ ...t.at, title: wide(257) }));
      expect([over.status, over.errors[0]?.field]).toEqual([422, 'title']);
      const none = await refusal(issues(t).create({ ...t.at } as never));
      expect(none.status).toBe(422);
    },
  },
  {
    does: 'a label’s name holds 50 characters, its description 100',
    source: 'reference, issues as the graph, label; dead-claudia/github-limits',
    show: async (t) => {
      const label = { ...t.at, color: '00ff00' };
      const fits = await issues(t).createLabel({
        ...label,
        name: 'n'.repeat(50),
        description: 'd'.repeat(100),
      });
      expect(fits.status).toBe(201);
      const name = await refusal(issues(t).createLabel({ ...label, name: 'm'.repeat(51) }));
      expect([name.status, name.errors[0]?.field]).toEqual([422, 'name']);
      const words = { ...label, name: 'words', description: 'd'.repeat(101) };
      expect((await refusal(issues(t).createLabel(words))).status).toBe(422);
      const twice = await refusal(issues(t).createLabel({ ...label, name: 'N'.repeat(50) }));
      expect(twice.errors[0]?.code).toBe('already_exists');
    },
  },
  {
    does: 'an issue holds 100 labels',
    source: 'reference, issues as the graph, 100 labels an issue; actions/labeler issue 115',
    needs: ['much content'],
    show: async (t) => {
      const names = Array.from({ length: 101 }, (_, at) => `l${at}`);
      const { number } = await make(t, 'Labels', { labels: names.slice(0, 100) });
      const at = { ...t.at, issue_number: number };
      const over = await refusal(issues(t).addLabels({ ...at, labels: ['l100'] }));
      expect(over.status).toBe(422);
      expect(over.message).toContain('Issues cannot have more than 100 labels');
      expect((await issues(t).addLabels({ ...at, labels: ['L0'] })).data).toHaveLength(100);
      expect((await refusal(issues(t).setLabels({ ...at, labels: names }))).status).toBe(422);
      expect((await refusal(issues(t).create({ ...t.at, title: 'T', labels: names }))).status).toBe(422);
    },
  },
  {
    does: 'a parent holds 100 sub-issues, closed ones too; an issue has one parent and no circle',
    source: 'community discussion 207865; stdlib pull 13376; REST, "Add sub-issue"',
    needs: ['much content'],
    show: async (t) => {
      const parent = await make(t, 'Parent');
      const at = { ...t.at, issue_number: parent.number };
      const children: { id: number; number: number }[] = [];
      for (let n = 0; n < 101; n += 1) children.push(await make(t, `Child ${n}`));
      for (const child of children.slice(0, 100))
        await issues(t).addSubIssue({ ...at, sub_issue_id: child.id });
      const first = children[0]!;
      await issues(t).update({ ...t.at, issue_number: first.number, state: 'closed' });
      const over = await refusal(issues(t).addSubIssue({ ...at, sub_issue_id: children[100]!.id }));
      expect(over.status).toBe(422);
      expect(over.message).toContain('Parent cannot have more than 100 sub-issues');
      const summary = (await issues(t).get(at)).data.sub_issues_summary;
      expect(summary).toMatchObject({ total: 100, completed: 1 });
      const circle = issues(t).addSubIssue({
        ...t.at,
        issue_number: first.number,
        sub_issue_id: parent.id,
      });
      expect((await refusal(circle)).status).toBe(422);
      const other = { ...t.at, issue_number: children[100]!.number, sub_issue_id: first.id };
      expect((await refusal(issues(t).addSubIssue(other))).status).toBe(422);
      expect((await issues(t).addSubIssue({ ...other, replace_parent: true })).status).toBe(201);
      expect((await issues(t).getParent({ ...t.at, issue_number: first.number })).data.id).toBe(
        children[100]!.id,
      );
    },
  },
  {
    does: 'an issue is blocked by 50 others and blocks 50, each direction by itself',
    source: 'reference, issues as the graph, limits; changelog August 2025',
    needs: ['much content'],
    show: async (t) => {
      const hub = await make(t, 'Hub');
      const at = { ...t.at, issue_number: hub.number };
      const others: { id: number; number: number }[] = [];
      for (let n = 0; n < 51; n += 1) others.push(await make(t, `Other ${n}`));
      const blocks = (one: { number: number }) =>
        issues(t).addBlockedByDependency({ ...t.at, issue_number: one.number, issue_id: hub.id });
      for (const one of others.slice(0, 50)) {
        await issues(t).addBlockedByDependency({ ...at, issue_id: one.id });
        await blocks(one);
      }
      const over = issues(t).addBlockedByDependency({ ...at, issue_id: others[50]!.id });
      expect((await refusal(over)).status).toBe(422);
      expect((await refusal(blocks(others[50]!))).status).toBe(422);
      const summary = (await issues(t).get(at)).data.issue_dependencies_summary;
      expect(summary).toMatchObject({ total_blocked_by: 50, total_blocking: 50 });
      const closed = await issues(t).update({ ...at, state: 'closed' });
      expect(closed.data.state, 'a blocked issue can be closed').toBe('closed');
    },
  },
  {
    does: 'a locked conversation is closed to apps; what they wrote before they may change',
    source: 'renovate issue 6215; actions/stale issue 51',
    needs: ['app'],
    show: async (t) => {
      const at = { ...t.at, issue_number: (await make(t, 'Closed talk')).number };
      const byApp = t.as('app').rest.issues;
      const { id } = (await byApp.createComment({ ...at, body: 'before' })).data;
      await issues(t).lock(at);
      expect(await refusal(byApp.createComment({ ...at, body: 'after' }))).toMatchObject({
        status: 403,
        message: 'Unable to create comment because issue is locked.',
      });
      expect((await byApp.updateComment({ ...t.at, comment_id: id, body: 'changed' })).data.body).toBe(
        'changed',
      );
      expect((await issues(t).createComment({ ...at, body: 'the owner may' })).status).toBe(201);
    },
  },
  {
    does: 'a locked conversation is closed to readers, not to writers',
    source: 'issues/lock; probot/stale issue 25',
    needs: ['second account'],
    show: async (t) => {
      const at = { ...t.at, issue_number: (await make(t, 'Heated')).number };
      await issues(t).lock({ ...at, lock_reason: 'too heated' });
      const refused = await refusal(t.as('reader').rest.issues.createComment({ ...at, body: 'but' }));
      expect(refused).toMatchObject({
        status: 403,
        message: 'Unable to create comment because issue is locked.',
      });
      expect((await t.as('writer').rest.issues.createComment({ ...at, body: 'calm' })).status).toBe(201);
      await issues(t).unlock(at);
      expect((await t.as('reader').rest.issues.createComment({ ...at, body: 'so' })).status).toBe(201);
    },
  },
  {
    does: 'a label that is there already is no event, one that is missing is 404',
    source: 'reference, atomicity, issues: a label is a flag, not a lock',
    show: async (t) => {
      const at = { ...t.at, issue_number: (await make(t, 'Flag', { labels: ['flag'] })).number };
      await issues(t).addLabels({ ...at, labels: ['FLAG'] });
      const events = (await issues(t).listEvents(at)).data.map((one) => one.event);
      expect(events).toEqual(['labeled']);
      expect((await refusal(issues(t).removeLabel({ ...at, name: 'none' }))).status).toBe(404);
    },
  },
]);
