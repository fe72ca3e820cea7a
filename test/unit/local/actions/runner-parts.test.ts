import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readZip } from '../../../../src/local/actions/artifacts/zip-read.ts';
import { writeZip } from '../../../../src/local/actions/artifacts/zip-write.ts';
import { parseKeyValueFile } from '../../../../src/local/actions/runner/command-file.ts';
import { Masks } from '../../../../src/local/actions/runner/masks.ts';
import { parseWorkflowCommand } from '../../../../src/local/actions/runner/workflow-command.ts';
import { jobPermissions } from '../../../../src/local/actions/runs/job-permissions.ts';
import type { CallRecord, JobSet } from '../../../../src/local/actions/runs/job-set.ts';
import type { RunRecord } from '../../../../src/local/actions/runs/records.ts';
import { tokenPermissions } from '../../../../src/local/actions/runs/token-permissions.ts';
import { readDispatchInputs } from '../../../../src/local/actions/trigger/dispatch-inputs.ts';
import { asksToSkip } from '../../../../src/local/actions/trigger/skip-instruction.ts';
import { readAction } from '../../../../src/local/actions/workflow/parse-action.ts';
import type { JobBody, PermissionsBody } from '../../../../src/local/actions/workflow/schema.ts';

describe('command files', () => {
  it('hold single lines and blocks', () => {
    expect(parseKeyValueFile('a=1\nb=x=y\nc<<END\none\ntwo=2\nEND\n\nd=\n')).toEqual([
      ['a', '1'],
      ['b', 'x=y'],
      ['c', 'one\ntwo=2'],
      ['d', ''],
    ]);
  });
  it('refuse anything else', () => {
    expect(() => parseKeyValueFile('nonsense')).toThrow("Invalid format 'nonsense'");
    expect(() => parseKeyValueFile('a<<END\nx')).toThrow("Matching delimiter not found 'END'");
    expect(() => parseKeyValueFile('=x')).toThrow('Invalid format');
  });
});

describe('workflow commands', () => {
  it('are read with properties and escapes', () => {
    expect(parseWorkflowCommand('::error file=a%3Ab.ts,line=3::50%25%0Amore')).toEqual({
      name: 'error',
      properties: { file: 'a:b.ts', line: '3' },
      message: '50%\nmore',
    });
    expect(parseWorkflowCommand('text ::error::no')).toBeNull();
    expect(parseWorkflowCommand('::notacommand')).toBeNull();
  });
});

describe('masks', () => {
  it('hide a secret, its lines, and the longer of two that overlap', () => {
    const masks = new Masks();
    masks.add('abc');
    masks.add('abcdef');
    masks.add('line one\nline two');
    masks.add(' ');
    expect(masks.apply('xabcdefx abc line two y')).toBe('x***x *** *** y');
  });
  it('hide a secret in JSON, in addresses and in Base64, too', () => {
    const masks = new Masks();
    masks.add('p"a ss');
    const base64 = Buffer.from('p"a ss').toString('base64');
    expect(
      masks.apply(`p"a ss ${JSON.stringify({ a: 'p"a ss' })} ?q=${encodeURIComponent('p"a ss')} ${base64}`),
    ).toBe('*** {"a":"***"} ?q=*** ***');
  });
  it('leave nothing of any secret', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]{3,8}$/), { minLength: 1, maxLength: 4 }),
        fc.string(),
        (secrets, noise) => {
          const masks = new Masks();
          for (const secret of secrets) masks.add(secret);
          const masked = masks.apply(secrets.join(noise.replace(/[a-z]/g, '')));
          return secrets.every((secret) => !masked.includes(secret));
        },
      ),
    );
  });
});

describe('zip archives', () => {
  it('come back as they went in', async () => {
    const entry = fc.record({
      path: fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8}){0,2}$/),
      bytes: fc.uint8Array({ maxLength: 300 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 6 }), async (files) => {
        const entries = files.map((file) => ({ path: file.path, data: Buffer.from(file.bytes) }));
        const back = readZip((await writeZip(entries))!, 1_000_000);
        expect(back.map((one) => [one.path, one.data.toString('hex')])).toEqual(
          entries.map((one) => [one.path, one.data.toString('hex')]),
        );
      }),
      { numRuns: 50 },
    );
  });
  it('are made piece by piece, so that others get their turn, and not made when they would be too large', async () => {
    const data = Buffer.alloc(32 * 1024 * 1024, 'ab');
    let turns = 0;
    const ticking = setInterval(() => {
      turns += 1;
    }, 1);
    const zip = await writeZip([{ path: 'x', data }]);
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(10);
    expect(readZip(zip!, data.length)[0]!.data.equals(data)).toBe(true);
    expect(await writeZip([{ path: 'x', data }], zip!.length - 1)).toBeNull();
    const many = Array.from({ length: 65_536 }, (_, index) => ({ path: `${index}`, data: Buffer.alloc(0) }));
    expect(await writeZip(many)).toBeNull();
    async function* broken() {
      yield Buffer.from('x');
      throw new Error('gone');
    }
    await expect(writeZip([{ path: 'x', data: broken() }])).rejects.toThrow('gone');
  });
  it('are refused when they lead out, or unpack to too much', async () => {
    const zipOf = async (path: string, data: Buffer) => (await writeZip([{ path, data }]))!;
    const out = await zipOf('../x', Buffer.from('x'));
    expect(() => readZip(out, 100)).toThrow('the path ../x');
    const much = await zipOf('x', Buffer.alloc(1000));
    expect(() => readZip(much, 100)).toThrow('more than is allowed');
    expect(() => readZip(Buffer.from('no archive at all, only text'), 100)).toThrow('no directory');
  });
});

describe('dispatch inputs', () => {
  const definitions = {
    a: { required: true, type: 'string' as const },
    flag: { required: false, type: 'boolean' as const },
    n: { required: false, type: 'number' as const, default: 3 },
  };
  it('get their types and defaults', () => {
    expect(readDispatchInputs(definitions, { a: 'x', flag: true })).toEqual({
      kind: 'accepted',
      inputs: { a: 'x', flag: true, n: 3 },
    });
    expect(readDispatchInputs(definitions, { a: 'x', n: '4' })).toMatchObject({
      inputs: { flag: false, n: 4 },
    });
  });
  it('are refused in GitHub’s words', () => {
    expect(readDispatchInputs(definitions, {})).toEqual({
      kind: 'refused',
      message: "Required input 'a' not provided",
    });
    expect(readDispatchInputs(definitions, { a: 'x', flag: 'maybe' })).toMatchObject({ kind: 'refused' });
    expect(readDispatchInputs(definitions, { a: 'x', n: 'many' })).toMatchObject({ kind: 'refused' });
    expect(readDispatchInputs(definitions, { a: 'x', b: '' })).toEqual({
      kind: 'refused',
      message: 'Unexpected inputs provided: ["b"]',
    });
    const many = Object.fromEntries(
      Array.from({ length: 26 }, (_, index) => [`i${index}`, { required: false, type: 'string' as const }]),
    );
    const given = Object.fromEntries(Object.keys(many).map((name) => [name, 'x']));
    expect(readDispatchInputs(many, given)).toEqual({
      kind: 'refused',
      message: 'The maximum number of inputs is 25',
    });
  });
});

describe('token permissions', () => {
  it('are what the job says, else the workflow, else reading contents', () => {
    expect(tokenPermissions(undefined, undefined)).toEqual({
      contents: 'read',
      packages: 'read',
      metadata: 'read',
    });
    expect(tokenPermissions({ contents: 'write' }, { 'pull-requests': 'write', contents: 'none' })).toEqual({
      pull_requests: 'write',
      metadata: 'read',
    });
    expect(tokenPermissions({}, undefined)).toEqual({ metadata: 'read' });
    expect(tokenPermissions('read-all', undefined)).toMatchObject({
      checks: 'read',
      contents: 'read',
      issues: 'read',
    });
  });
});

describe('rights in special places', () => {
  const run = (fromFork: boolean) => ({ cause: { fromFork } }) as RunRecord;
  const set = (permissions: PermissionsBody | undefined, call: CallRecord | null = null) =>
    ({ file: { body: { permissions } }, call }) as unknown as JobSet;
  const body = (permissions?: PermissionsBody) => ({ permissions }) as unknown as JobBody;
  const callOf = (callers: PermissionsBody | undefined, own?: PermissionsBody) =>
    ({ set: set(callers), body: body(own) }) as unknown as CallRecord;

  it('a change from another repository may only read', () => {
    const wanted = { contents: 'write', checks: 'write', issues: 'none' } as const;
    expect(jobPermissions(run(false), set(undefined), body(wanted))).toEqual({
      contents: 'write',
      checks: 'write',
      metadata: 'read',
    });
    expect(jobPermissions(run(true), set(undefined), body(wanted))).toEqual({
      contents: 'read',
      checks: 'read',
      metadata: 'read',
    });
  });

  it('a called workflow holds what its caller holds, or less', () => {
    const rights = (callers: PermissionsBody | undefined, called?: PermissionsBody, job?: PermissionsBody) =>
      jobPermissions(run(false), set(called, callOf(undefined, callers)), body(job));
    expect(rights({ contents: 'write', checks: 'read' })).toEqual({
      contents: 'write',
      checks: 'read',
      metadata: 'read',
    });
    expect(rights({ contents: 'read', checks: 'read' }, { contents: 'write', issues: 'write' })).toEqual({
      contents: 'read',
      metadata: 'read',
    });
    expect(rights({ contents: 'write' }, 'write-all', {})).toEqual({ metadata: 'read' });
    expect(rights(undefined, 'write-all')).toEqual({ contents: 'read', packages: 'read', metadata: 'read' });
  });
});

describe('small readers', () => {
  it('see a request to skip', () => {
    for (const message of ['x [skip ci]', '[CI Skip] y', 'a\n\nb\nskip-checks: true', '[no ci]'])
      expect([message, asksToSkip(message)]).toEqual([message, true]);
    for (const message of ['skip ci', 'a skip-checks: true b'])
      expect([message, asksToSkip(message)]).toEqual([message, false]);
  });
  it('refuse actions that need a container, and broken manifests', () => {
    expect(readAction('x', 'runs: {using: docker, image: a}')).toMatchObject({
      kind: 'unsupported',
      problem: expect.stringContaining('"docker"'),
    });
    expect(readAction('x', 'name: y')).toMatchObject({ kind: 'unsupported' });
    expect(readAction('x', 'runs: {using: node20}')).toMatchObject({
      kind: 'unsupported',
      problem: expect.stringContaining('main'),
    });
  });
});
