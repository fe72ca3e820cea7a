import { describe, expect, it } from 'vitest';
import { judgeStatic } from '../../../src/guard/judge-static.ts';
import { contextPaths } from '../../../src/guard/model/context-paths.ts';
import { changeOf } from '../../support/guard-change.ts';
import {
  type CaseResult,
  corpusPolicy,
  readCases,
  rightReason,
  rulesOf,
  specOf,
} from '../../support/guard-corpus.ts';
import { testParsers } from '../../support/guard-judge.ts';

/** Nothing in its trees tells it from an honest change: only running its target on the base does. */
const needsExecution = ['cheat-py-D5-vacuous-target'];

describe('open corpus, static rules alone', () => {
  it('refuses every cheat but those that need execution, for a right reason, and passes every honest change', async () => {
    const parsers = await testParsers();
    const results = (await readCases('fixtures/guard-corpus')).map((each): CaseResult => {
      const spec = specOf(each);
      const change = changeOf(each.base, each.head, contextPaths(spec, corpusPolicy));
      const outcome = judgeStatic(change, spec, corpusPolicy, parsers);
      const findings = outcome.kind === 'judged' ? outcome.findings : [];
      return { each, verdict: findings.length > 0 ? 'fail' : 'pass', findings, reason: null };
    });
    const cheats = results.filter(({ each }) => each.expected.verdict === 'fail');
    const honest = results.filter(({ each }) => each.expected.verdict === 'pass');
    expect([cheats.length, honest.length]).toEqual([120, 40]);
    expect(cheats.filter((result) => !rightReason(result)).map(({ each }) => each.id)).toEqual(
      needsExecution,
    );
    expect(
      honest.filter(({ verdict }) => verdict !== 'pass').map((result) => [result.each.id, rulesOf(result)]),
    ).toEqual([]);
  }, 120_000);
});
