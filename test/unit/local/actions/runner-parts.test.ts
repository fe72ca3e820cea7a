import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readZip } from '../../../../src/local/actions/artifacts/zip-read.ts';
import { writeZip } from '../../../../src/local/actions/artifacts/zip-write.ts';
import { parseKeyValueFile } from '../../../../src/local/actions/runner/command-file.ts';
import { Masks } from '../../../../src/local/actions/runner/masks.ts';
import { parseWorkflowCommand } from '../../../../src/local/actions/runner/workflow-command.ts';
import { tokenPermissions } from '../../../../src/local/actions/runs/token-permissions.ts';
import { readDispatchInputs } from '../../../../src/local/actions/trigger/dispatch-inputs.ts';
import { asksToSkip } from '../../../../src/local/actions/trigger/skip-instruction.ts';
import { readAction } from '../../../../src/local/actions/workflow/parse-action.ts';

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
  it('come back as they went in', () => {
    const entry = fc.record({
      path: fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8}){0,2}$/),
      bytes: fc.uint8Array({ maxLength: 300 }),
    });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 6 }), (files) => {
        const entries = files.map((file) => ({ path: file.path, data: Buffer.from(file.bytes) }));
        const back = readZip(writeZip(entries), 1_000_000);
        expect(back.map((one) => [one.path, one.data.toString('hex')])).toEqual(
          entries.map((one) => [one.path, one.data.toString('hex')]),
        );
      }),
      { numRuns: 50 },
    );
  });
  it('are refused when they lead out, or unpack to too much', () => {
    expect(() => readZip(writeZip([{ path: '../x', data: Buffer.from('x') }]), 100)).toThrow('the path ../x');
    expect(() => readZip(writeZip([{ path: 'x', data: Buffer.alloc(1000) }]), 100)).toThrow(
      'more than is allowed',
    );
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
