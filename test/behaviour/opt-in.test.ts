import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalWorld, openWorld } from '../contract/support/local-world.ts';
import { credentialsOf, githubTarget } from './support/github-target.ts';
import { NEEDS } from './support/target.ts';

let world: LocalWorld;
let env: Record<string, string>;

beforeAll(async () => {
  world = await openWorld();
  const key = join(world.dir, 'key.pem');
  await writeFile(key, world.app.privateKey);
  env = {
    CCD_BEHAVIOUR_TOKEN: world.tokens.owner,
    CCD_BEHAVIOUR_OWNER: 'acme',
    CCD_BEHAVIOUR_API: `${world.github.url}/api/v3`,
    CCD_BEHAVIOUR_WEB: world.github.url,
    CCD_BEHAVIOUR_APP_ID: String(world.app.id),
    CCD_BEHAVIOUR_APP_KEY: key,
  };
});

afterAll(() => world.close());

// The local GitHub stands where github.com would: the same calls, the same credentials, nothing of its inside.
describe('the suite against a GitHub of which somebody gave credentials', () => {
  it('is left out without them', () => {
    expect(credentialsOf({})).toBeNull();
    expect(credentialsOf({ CCD_BEHAVIOUR_TOKEN: 'x' })).toBeNull();
  });

  it('makes its own repositories, acts as person and App, and leaves nothing behind', async () => {
    const before = [...world.github.store.repos.keys()];
    const opener = githubTarget(credentialsOf(env)!);
    const target = await opener.open('refs & merges');
    expect(target.repo).toMatch(/^ccd-behaviour-refs-merges-/);
    const head = await target.push('work', { 'w.txt': 'w' });
    expect(await target.ref('refs/heads/work')).toBe(head);
    const { data } = await target.as('app').rest.checks.create({ ...target.at, name: 'c', head_sha: head });
    expect(data.app?.id).toBe(target.appId);
    const asked = await target.ask(`/repos/${target.owner}/${target.repo}`, { role: 'owner' });
    expect(((await asked.json()) as { default_branch: string }).default_branch).toBe('main');
    expect(await target.otherRepository()).toContain('other');
    expect(() => target.as('writer')).toThrow('must name it among its needs');
    await target.close();
    expect([...world.github.store.repos.keys()]).toEqual(before);
  });

  it('lacks what it cannot have, and an App where none was given', () => {
    const { CCD_BEHAVIOUR_APP_ID: _, ...without } = env;
    const lacks = (given: Record<string, string>) => [...githubTarget(credentialsOf(given)!).lacks];
    expect(lacks(env)).not.toContain('app');
    expect(lacks(without)).toContain('app');
    for (const need of lacks(without)) expect(NEEDS).toHaveProperty([need]);
  });
});
