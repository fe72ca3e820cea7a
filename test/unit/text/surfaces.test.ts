import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../src/domain/verdict.ts';
import { defaultPolicy } from '../../../src/policy/default-policy.ts';
import { parseSpec } from '../../../src/spec/parse-spec.ts';
import { parseReplyMarker, renderReply } from '../../../src/text/command-reply.ts';
import { parseControlMarker, renderControlIssue } from '../../../src/text/control-issue.ts';
import { echo } from '../../../src/text/echo.ts';
import { mostCheckText, renderGuardCheck } from '../../../src/text/guard-check.ts';
import { renderLandingCheck } from '../../../src/text/landing-check.ts';
import { parsePullMarker, renderPullBody, renderPullTitle } from '../../../src/text/pull-body.ts';
import {
  parseStatusMarker,
  renderStatusComment,
  type StatusComment,
} from '../../../src/text/status-comment.ts';
import { hostileTexts, live } from './rendered.ts';

const oid = (digit: string) => digit.repeat(40);
const digest = (digit: string) => `sha256:${digit.repeat(64)}`;
const finding = (text: string): Finding => ({
  rule: 'R2',
  class: text.slice(0, 60) || 'none',
  file: text,
  line: 3,
  reason: text,
  remedy: text,
  fingerprint: digest('f'),
});

const status: StatusComment = {
  issue: 12,
  phase: 'halted',
  reason: { code: 'generations-used-up.guard-failed', of: 3 },
  generation: 3,
  spentGenerations: 3,
  maxGenerations: 3,
  attempt: '12.3',
  runUrl: null,
  candidate: oid('a'),
  verdict: {
    verdict: 'fail',
    findings: [{ rule: 'R2', class: 'matcher-loosened', fingerprint: digest('f') }],
  },
  findings: [],
  pull: 20,
  queuePosition: null,
  landed: null,
  spentMicroUsd: null,
  unmetered: 0,
  late: 1,
  bodyDigest: digest('b'),
  echo: null,
};

describe('the status comment', () => {
  const text = renderStatusComment(status);

  test('counts generations since the last request, and names what the sum of money lacks', () => {
    expect(text).toContain('| Generation | 3 of at most 3 |');
    const again = renderStatusComment({ ...status, generation: 4, spentGenerations: 1 });
    expect(again).toContain('| Generation | 4 (1 of at most 3 since the last request) |');
    const partly = renderStatusComment({ ...status, spentMicroUsd: 1_500_000, unmetered: 2 });
    expect(partly).toContain('| Spent | 1.50 USD, without 2 of the attempts, which told no price |');
    expect(renderStatusComment({ ...status, spentMicroUsd: 10_000 })).toContain('| Spent | 0.01 USD |');
  });

  test('says what, why, whose move, and what would end it', () => {
    expect(text).toContain('### ccd: halted');
    expect(text).toContain(
      'The generations that policy allows are used up. The guard refused the candidate of generation 3.',
    );
    expect(text).toContain(
      'Next move: **the author**. Make the task clearer. Set the label `ccd:dispatch` again.',
    );
    expect(text).toContain('| Guard | fail: R2 matcher-loosened |');
    expect(text).toContain('| Spent | not metered |');
    expect(text).toContain('1 hand-overs of older generations');
  });

  test('is found again by its first line only', () => {
    expect(parseStatusMarker(text)).toEqual({ issue: 12 });
    expect(parseStatusMarker(`Look:\n${text}`)).toBeNull();
    expect(parseStatusMarker('<!-- ccd:status {"issue":"12"} -->')).toBeNull();
    expect(parseStatusMarker('<!-- ccd:pull {"issue":12} -->')).toBeNull();
    expect(parseStatusMarker('<!-- ccd:status {broken} -->')).toBeNull();
  });

  test('a landing is shown with its build', () => {
    const landed = {
      ...status,
      phase: 'landed' as const,
      reason: null,
      landed: { commit: oid('c'), build: 4 },
    };
    expect(renderStatusComment(landed)).toContain(`| Landed | ${oid('c')} (build 4) |`);
  });

  test('leaves the echo out rather than exceed what GitHub takes', () => {
    const long = renderStatusComment({ ...status, echo: 'x'.repeat(70_000) });
    expect(long.length).toBeLessThan(65_536);
    expect(long).toContain('### ccd: halted');
  });
});

describe.each(hostileTexts)('foreign text %j', (text) => {
  const inert = { links: [], mentions: [] };

  test('in the status comment and its echo', () => {
    const parsed = parseSpec(
      `### Kind\n\n${text}\n\n### Objective\n\n${text}\n\n### Allowed paths\n\n${text}\n`,
      defaultPolicy,
    );
    const rendered = live(renderStatusComment({ ...status, echo: echo(parsed), findings: [finding(text)] }));
    expect(rendered).toMatchObject({ ...inert, markers: 1 });
    expect(
      rendered.references.every(
        (reference) => reference === '#20' || echo(parsed).includes(`Depends on | ${reference}`),
      ),
    ).toBe(true);
    expect(
      rendered.html.filter(
        (html) => !/^(?:<!-- ccd:status|<br>|<\/?details>|<\/?summary>|<details><summary>)/.test(html),
      ),
    ).toEqual([]);
  });

  test('in checks', () => {
    const guard = renderGuardCheck({
      verdict: 'could-not-judge',
      findings: [finding(text)],
      reason: text,
      waived: [],
      staticOnly: false,
    });
    expect(live(guard.summary)).toEqual({ ...inert, html: [], references: [], markers: 0 });
    expect(live(guard.text)).toEqual({ ...inert, html: [], references: [], markers: 0 });
  });

  test('in titles, replies and the control issue', () => {
    expect(renderPullTitle(12, text)).not.toMatch(/#\d|@[a-z]|\n|<!--/i);
    expect(live(renderReply('5', text))).toMatchObject({ ...inert, references: [], markers: 1 });
    const control = renderControlIssue({
      repository: 'o/n',
      trunk: 'main',
      pause: null,
      frozen: false,
      alarms: [{ code: 'state-missing', detail: text }],
      queue: [],
    });
    expect(live(control)).toMatchObject({ ...inert, references: [], markers: 1 });
  });
});

describe('the pull request', () => {
  const marker = { issue: 12, generation: 2, attempt: '12.2', candidate: oid('a') };

  test('links its task without a closing keyword, and carries its numbers', () => {
    const body = renderPullBody(marker);
    expect(body).toContain('\nTask: #12\n');
    expect(body).not.toMatch(/\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#/i);
    expect(parsePullMarker(body)).toEqual(marker);
    expect(parsePullMarker(body.replace(/\n/g, '\r\n'))).toEqual(marker);
  });

  test('its title is the issue title, made harmless and short', () => {
    expect(renderPullTitle(12, 'Carry seconds')).toBe('Task 12: Carry seconds');
    expect(renderPullTitle(12, '\u200b')).toBe('Task 12');
    expect(renderPullTitle(12, 'x'.repeat(500)).length).toBeLessThanOrEqual(256);
    expect(renderPullTitle(12, 'Fixes #3')).not.toMatch(/fixes #/i);
  });
});

describe('checks', () => {
  const many = Array.from({ length: 2000 }, (_, index) =>
    finding(`src/${'deep/'.repeat(20)}${index}.ts is wrong `.repeat(4)),
  );

  test('never exceed what GitHub takes, and say what they leave out', () => {
    const check = renderGuardCheck({
      verdict: 'fail',
      findings: many,
      reason: null,
      waived: [],
      staticOnly: true,
    });
    expect(check.text.length).toBeLessThanOrEqual(mostCheckText);
    expect(check.text).toMatch(/\d+ more are not shown/);
    expect(check.title).toBe('Fail: 2000 findings (R2)');
    expect(check.summary).toContain('was not executed');
  });

  test('a pass says what it means and what it does not', () => {
    const check = renderGuardCheck({
      verdict: 'pass',
      findings: [],
      reason: null,
      waived: [digest('f')],
      staticOnly: false,
    });
    expect(check.summary).toContain('It does not mean');
    expect(check.summary).toContain(digest('f'));
    expect(check.text).toBe('No findings.');
  });

  test('a finding can be waived by copying a line', () => {
    const check = renderGuardCheck({
      verdict: 'fail',
      findings: [finding('a')],
      reason: null,
      waived: [],
      staticOnly: false,
    });
    expect(check.text).toContain(`/ccd waive ${digest('f')} <reason>`);
  });

  test('landing names build, trunk and members', () => {
    const check = renderLandingCheck({
      build: 4,
      try: 1,
      base: oid('a'),
      members: [{ kind: 'task', number: 12, candidate: oid('b') }],
      verdict: 'pass',
      findings: [],
      reason: null,
    });
    expect(check.summary).toContain(`Build 4, try 1, on trunk ${oid('a')}.`);
    expect(check.summary).toContain(`- task #12: ${oid('b')}`);
  });
});

test('the control issue says how the machine stands', () => {
  const body = renderControlIssue({
    repository: 'o/n',
    trunk: 'main',
    pause: { by: 'alarm', code: 'state-missing', at: '2026-01-01T00:00:00.000Z' },
    frozen: true,
    alarms: [],
    queue: [{ kind: 'pull', number: 3 }],
  });
  expect(body).toContain('paused by an alarm (state-missing) since 2026-01-01T00:00:00.000Z, frozen');
  expect(body).toContain('1. pull #3');
  expect(parseControlMarker(body)).toEqual({ repository: 'o/n' });
});

test('a reply names the comment it answers', () => {
  expect(parseReplyMarker(renderReply('99', 'Done.'))).toEqual({ to: '99' });
});

test('the echo shows every field that was understood', () => {
  const body =
    '```ccd\nkind: docs\nobjective: Say more.\nallowed_paths: ["a|b/"]\ntest_command: npm test\nallow: {manifests: [package.json]}\ndepends_on: [3]\n```';
  const text = echo(parseSpec(body, defaultPolicy));
  expect(text).toContain('**The spec was understood as follows.**');
  expect(text).toContain('| Allowed paths | `a\\|b/` |');
  expect(text).toContain('| Opened by name | `manifests: package.json` |');
  expect(text).toContain('| Budget | 5 USD, 40 turns, 3 tries, 60 minutes |');
  expect(text).toContain('| Depends on | #3 |');
  expect(text).toContain('```text\nSay more.\n```');
});

test('the largest echo fits into a status comment', () => {
  const many = (entry: string, times: number) =>
    Array.from({ length: times }, (_, i) => `${entry.repeat(20)}${i}`);
  const fields = {
    objective: '*'.repeat(8_000),
    acceptance_criteria: many('[*_x', 50),
    allowed_paths: [...many('|\\', 60), ...many('a|', 40)],
    target_tests: many('*|', 50),
    verify: many('|*', 20),
    x: 1,
  };
  const echoed = echo(parseSpec(`\`\`\`\`\`ccd\n${JSON.stringify(fields)}\n\`\`\`\`\``, defaultPolicy));
  expect(echoed).toContain('more');
  const comment = renderStatusComment({ ...status, echo: echoed });
  expect(comment).toContain('Understood so far');
  expect(comment.length).toBeLessThan(65_536);
});

test('the echo of a broken spec lists all problems with their lines', () => {
  const text = echo(parseSpec('### Kind\n\nbug\n', defaultPolicy));
  expect(text).toContain('cannot be used: 4 problems');
  expect(text).toContain('- **kind** (line 1): Write one of');
  expect(text).toContain('- **objective**: ');
});
