import { describe, expect, test } from 'vitest';
import { type BuildMessage, parseBuildMessage, renderBuildMessage } from '../../../src/text/build-message.ts';
import { parseCandidateMessage, renderCandidateMessage } from '../../../src/text/candidate-message.ts';

const oid = (digit: string) => digit.repeat(40);
const digest = (digit: string) => `sha256:${digit.repeat(64)}`;

describe('a candidate message', () => {
  const message = renderCandidateMessage({ issue: 12, attempt: '12.3', base: oid('a') });

  test('is numbers only', () => {
    expect(message).toBe(
      `ccd: task 12, attempt 12.3\n\nCcd-Task: 12\nCcd-Attempt: 12.3\nCcd-Base: ${oid('a')}\n`,
    );
  });

  test('is read back', () => {
    expect(parseCandidateMessage(message)).toEqual({ issue: 12, attempt: '12.3', base: oid('a') });
  });

  test.each([
    '',
    'Fix it',
    `${message}Signed-off-by: x\n`,
    `Quoted:\n\n${message}`,
    message.replace('Ccd-Task: 12', 'Ccd-Task: 12\nCcd-Task: 13'),
    message.replace('Ccd-Task: 12', 'Ccd-Task: 0x0c'),
    message.replace('task 12', 'task 13'),
    message.replace(/\n/g, '\r\n'),
    ` ${message}`,
  ])('%j is not one', (other) => {
    expect(parseCandidateMessage(other)).toBeNull();
  });
});

describe('a build message', () => {
  const build: BuildMessage = {
    build: 7,
    try: 2,
    members: [
      { kind: 'task', number: 12, candidate: oid('b'), keyDigest: digest('1') },
      { kind: 'pull', number: 15, candidate: oid('c'), keyDigest: null },
    ],
    policyDigest: digest('2'),
    state: oid('d'),
  };
  const message = renderBuildMessage(build);

  test('names members in their order, policy and state', () => {
    expect(message.split('\n')).toEqual([
      'ccd: build 7, try 2',
      '',
      'Ccd-Build: 7',
      'Ccd-Try: 2',
      `Ccd-Member: task 12 ${oid('b')} ${digest('1')}`,
      `Ccd-Member: pull 15 ${oid('c')} none`,
      `Ccd-Policy: ${digest('2')}`,
      `Ccd-State: ${oid('d')}`,
      '',
    ]);
  });

  test('is read back, the empty first build too', () => {
    expect(parseBuildMessage(message)).toEqual(build);
    expect(parseBuildMessage(renderBuildMessage({ ...build, members: [] }))).toEqual({
      ...build,
      members: [],
    });
  });

  test.each([
    message.replace('Ccd-Try: 2\n', ''),
    message.replace('Ccd-Policy', 'Ccd-Member: task 1 x y\nCcd-Policy'),
    message.replace('task 12', 'issue 12'),
    `${message}\nmore`,
  ])('%j is not one', (other) => {
    expect(parseBuildMessage(other)).toBeNull();
  });
});
