import { expect } from 'vitest';
import { behaviours } from './support/behaviours.ts';
import type { Target } from './support/target.ts';

const issues = (t: Target) => `/repos/${t.owner}/${t.repo}/issues?state=all`;
const used = (answer: Response): number => Number(answer.headers.get('x-ratelimit-used'));

behaviours('conditional requests', [
  {
    does: 'a known ETag is answered 304 without a body, and costs nothing',
    source: 'REST, "Best practices for using the REST API", conditional requests',
    show: async (t) => {
      const first = await t.ask(issues(t), { role: 'owner' });
      const etag = first.headers.get('etag')!;
      expect(etag).toBeTruthy();
      const known = { role: 'owner' as const, headers: { 'if-none-match': etag } };
      const second = await t.ask(issues(t), known);
      expect([second.status, await second.text()]).toEqual([304, '']);
      const third = await t.ask(issues(t), known);
      expect(third.status).toBe(304);
      const fourth = await t.ask(issues(t), { role: 'owner' });
      expect(used(fourth) - used(first), 'two answers 304 between two full ones').toBe(1);
    },
  },
  {
    does: 'a change makes another ETag',
    source: 'REST, "Best practices for using the REST API", conditional requests',
    show: async (t) => {
      const etag = (await t.ask(issues(t), { role: 'owner' })).headers.get('etag')!;
      await t.as('owner').rest.issues.create({ ...t.at, title: 'Fresh' });
      const ask = () => t.ask(issues(t), { role: 'owner', headers: { 'if-none-match': etag } });
      await expect.poll(async () => (await ask()).status, { timeout: 30_000 }).toBe(200);
    },
  },
  {
    does: 'an ETag is one token’s: with another it is not known',
    source: 'REST, "Best practices for using the REST API": Vary Authorization',
    needs: ['app'],
    show: async (t) => {
      const path = `/repos/${t.owner}/${t.repo}/labels`;
      const mine = await t.ask(path, { role: 'owner' });
      const etag = mine.headers.get('etag')!;
      expect(mine.headers.get('vary')).toContain('Authorization');
      const other = await t.ask(path, { role: 'app', headers: { 'if-none-match': etag } });
      expect(other.status).toBe(200);
    },
  },
]);
