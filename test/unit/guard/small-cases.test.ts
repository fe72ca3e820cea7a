import { describe, expect, it } from 'vitest';
import { judgeSmall } from '../../support/guard-judge.ts';
import { javascriptCases } from './cases/javascript.ts';
import { otherCases } from './cases/others.ts';
import { pythonCases } from './cases/python.ts';

describe('small changes, each of one kind', () => {
  for (const each of [...javascriptCases, ...pythonCases, ...otherCases]) {
    it(`${each.name}: ${each.want}`, async () => {
      const findings = await judgeSmall(each);
      const shown = findings.map(({ rule, class: word, reason }) => `${rule} ${word}: ${reason}`);
      if (each.want === 'pass') expect(shown).toEqual([]);
      else
        expect(
          findings.map(({ rule }) => rule),
          shown.join('\n'),
        ).toContain(each.want);
    });
  }
});
