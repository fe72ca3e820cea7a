import { expect, test } from 'vitest';
import { parseCommentCommand } from '../../../src/spec/comment-command.ts';
import { explainAnswer } from '../../../src/text/answer-words.ts';

const oid = 'a'.repeat(40);
const digest = `sha256:${'b'.repeat(64)}`;

test.each([
  [`/ccd queue ${oid}`, { verb: 'queue', commit: oid }],
  ['/ccd unqueue', { verb: 'unqueue' }],
  ['/ccd   pause  \r\nbecause', { verb: 'pause' }],
  ['/ccd resume\nmore text', { verb: 'resume' }],
  ['/ccd hold', { verb: 'hold' }],
  ['/ccd cancel', { verb: 'cancel' }],
  ['/ccd status', { verb: 'status' }],
  [`/ccd confirm ${digest}`, { verb: 'confirm', digest }],
  [
    `/ccd waive ${digest} the  port is right`,
    { verb: 'waive', fingerprint: digest, reason: 'the port is right' },
  ],
])('%j', (body, command) => {
  expect(parseCommentCommand(body)).toEqual({ kind: 'command', command });
});

test.each([
  '',
  'please /ccd pause',
  ' /ccd pause',
  '> /ccd pause',
  '```\n/ccd pause\n```',
  'first\n/ccd pause',
  '/ccdpause',
  '/CCD pause',
  '\uFEFF/ccd pause',
])('%j is no command', (body) => {
  expect(parseCommentCommand(body)).toEqual({ kind: 'none' });
});

test.each([
  '/ccd',
  '/ccd Pause',
  '/ccd pause now',
  '/ccd queue',
  '/ccd queue abc123',
  `/ccd queue ${oid} ${oid}`,
  '/ccd confirm yes',
  `/ccd waive ${digest}`,
  '/ccd waive all because',
  '/ccd __proto__',
])('%j is malformed, and says why', (body) => {
  const reading = parseCommentCommand(body);
  if (reading.kind !== 'malformed') throw new Error(`it was read as ${reading.kind}`);
  const answer = explainAnswer(`no.${reading.problem}`, [reading.verb ?? '']);
  expect(answer).toMatch(/^Not done\. .{10,}/);
  expect(answer).not.toContain(reading.problem);
});
