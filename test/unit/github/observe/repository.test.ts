import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRuleset, updateRuleset } from '../../../../src/github/apply/put-ruleset.ts';
import {
  observeInstallations,
  observeInstalledRepositories,
} from '../../../../src/github/observe/installations.ts';
import { findInstallation, observeRepository } from '../../../../src/github/observe/repository.ts';
import { observeRulesets } from '../../../../src/github/observe/rulesets.ts';
import type { Ruleset } from '../../../../src/github/schema/ruleset.ts';
import { type LocalWorld, openGitHub } from '../local-world.ts';

let world: LocalWorld;

beforeAll(async () => {
  world = await openGitHub();
});
afterAll(() => world.close());

it('reads what identifies the repository and the app', async () => {
  expect(await observeRepository(world.client, world.name, world.app)).toEqual({
    id: world.repo.id,
    owner: 'ada',
    name: 'demo',
    trunk: 'main',
    appId: world.app.id,
    botId: world.app.botId,
  });
  expect(world.app.slug).toBe('ccd');
});

it('finds where the app is installed', async () => {
  const id = await findInstallation(world.appClient, world.name);
  expect(await observeInstallations(world.appClient)).toEqual([id]);
  expect(await observeInstalledRepositories(world.client)).toEqual([world.name]);
  expect(await findInstallation(world.appClient, { owner: 'ada', name: 'other' })).toBeNull();
});

describe('rulesets', () => {
  const ownership = (appId: number): Ruleset => ({
    name: 'ccd ownership',
    target: 'branch',
    enforcement: 'active',
    bypass_actors: [{ actor_id: appId, actor_type: 'Integration', bypass_mode: 'always' }],
    conditions: { ref_name: { include: ['refs/heads/ccd/**/*', '~DEFAULT_BRANCH'], exclude: [] } },
    rules: [{ type: 'creation' }, { type: 'update' }, { type: 'deletion' }],
  });

  it('are made by a person who administers, read back, and changed', async () => {
    const admin = world.person('ada').client;
    const wanted = ownership(world.app.id);
    const made = await createRuleset(admin, world.name, wanted);
    if (made.kind !== 'done') throw new Error(JSON.stringify(made));
    expect(await observeRulesets(admin, world.name)).toMatchObject({
      kind: 'read',
      rulesets: [{ id: made.id, ...wanted }],
    });
    const proof: Ruleset = {
      ...wanted,
      rules: [
        {
          type: 'required_status_checks',
          parameters: {
            strict_required_status_checks_policy: false,
            required_status_checks: [{ context: 'ccd / landing', integration_id: world.app.id }],
          },
        },
      ],
    };
    expect(await updateRuleset(admin, world.name, { id: made.id, ...proof })).toEqual({ kind: 'done' });
    const read = await observeRulesets(world.client, world.name);
    expect(read).toMatchObject({ kind: 'read', rulesets: [{ rules: proof.rules }] });
  });

  it('cannot be made by the app: it may not administer', async () => {
    expect(await createRuleset(world.client, world.name, ownership(1))).toMatchObject({
      kind: 'refused',
      reason: 'forbidden',
    });
  });
});
