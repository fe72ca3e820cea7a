import { describe, expect, test } from 'vitest';
import type { ObservedCheck, ObservedRun } from '../../../src/domain/snapshot.ts';
import { readRequiredChecks } from '../../../src/landing/required-checks.ts';
import type { RequiredCheck } from '../../../src/policy/policy.ts';
import { checkOf, oid } from '../../support/snapshots.ts';

const build = oid('build');
const ci: RequiredCheck = { name: 'ci', app_id: 15368, workflow: '.github/workflows/ci.yml' };
const scan: RequiredCheck = { name: 'scan', app_id: 4000, workflow: null };
const read = (checks: ObservedCheck[], required = [ci]) =>
  readRequiredChecks(required, checks, build, 'ccd/queue/1');
const ofRun = (over: Partial<ObservedRun>): Partial<ObservedCheck> => ({
  run: { ...checkOf(build).run!, ...over },
});

test('every required check, an explicit success on this commit: success', () => {
  const other = checkOf(build, { id: 301, name: 'scan', appId: 4000, run: null });
  expect(read([checkOf(build), other], [ci, scan])).toEqual({ kind: 'success' });
  expect(read([checkOf(build)], [ci, scan])).toEqual({ kind: 'waiting', names: ['scan'], started: true });
});

describe('a check with the right name counts for nothing', () => {
  test.each([
    ['from another app', { appId: 4000 }],
    ['on another commit', { commit: oid('x') }],
    ['that is no job’s', { run: null }],
    ['of a run on another commit', ofRun({ head: oid('x') })],
    ['of a run by another event', ofRun({ event: 'workflow_dispatch' })],
    ['of a run on another branch', ofRun({ branch: 'ccd/queue/11' })],
    ['of a run on no branch', ofRun({ branch: null })],
    ['of another workflow', ofRun({ path: '.github/workflows/forged.yml' })],
    ['of a workflow whose path only begins like it', ofRun({ path: '.github/workflows/ci.yml.forged.yml' })],
  ] as [string, Partial<ObservedCheck>][])('%s', (_what, over) => {
    expect(read([checkOf(build, over)])).toEqual({ kind: 'waiting', names: ['ci'], started: false });
    const failed = checkOf(build, { ...over, id: 999, conclusion: 'failure' });
    expect(read([checkOf(build), failed])).toEqual({ kind: 'success' });
  });
});

test('the workflow’s path may name its ref', () => {
  expect(read([checkOf(build, ofRun({ path: '.github/workflows/ci.yml@refs/heads/ccd/queue/1' }))])).toEqual({
    kind: 'success',
  });
});

test('of several of one name the newest speaks', () => {
  const older = checkOf(build, { id: 300, conclusion: 'failure' });
  const newer = checkOf(build, { id: 301 });
  expect(read([newer, older])).toEqual({ kind: 'success' });
  expect(read([older, { ...newer, status: 'in_progress', conclusion: null }])).toMatchObject({
    kind: 'waiting',
  });
});

test.each(['cancelled', 'skipped', 'neutral', 'timed_out', 'action_required', 'stale', null])(
  'a conclusion of %s says nothing about the change',
  (conclusion) => {
    expect(read([checkOf(build, { conclusion })])).toEqual({ kind: 'interrupted', name: 'ci', checkId: 300 });
  },
);

test('a failure is named with the check that it was', () => {
  const failed = checkOf(build, { conclusion: 'failure' });
  expect(read([failed], [scan, ci])).toEqual({ kind: 'failed', name: 'ci', checkId: 300 });
});
