import { describe, expect, it } from 'vitest';
import {
  conditionExpression,
  evaluateCondition,
} from '../../../../src/local/actions/expressions/condition.ts';
import { statusFunctions } from '../../../../src/local/actions/expressions/status-functions.ts';
import {
  renderTemplate,
  renderTexts,
  splitTemplate,
} from '../../../../src/local/actions/expressions/template.ts';
import type { Value } from '../../../../src/local/actions/expressions/values.ts';

const scope = (contexts: Record<string, Value> = {}, failed = false) => ({
  contexts,
  functions: statusFunctions({ allSucceeded: !failed, anyFailed: failed, cancelled: false }),
});

describe('templates', () => {
  it('keep the type of a lone expression and write texts otherwise', () => {
    const at = scope({ env: { n: 7, list: [1, 2], none: null } });
    expect(renderTemplate('${{ env.n }}', at)).toBe(7);
    expect(renderTemplate(' ${{ env.n }}', at)).toBe(' 7');
    expect(renderTemplate('${{ env.list }}', at)).toEqual([1, 2]);
    expect(renderTemplate('a${{ env.list }}b${{ env.none }}c', at)).toBe('aArraybc');
    expect(renderTemplate('${{ toJSON(env.list) }}', at)).toBe('[\n  1,\n  2\n]');
    expect(renderTemplate('plain', at)).toBe('plain');
  });

  it('are not closed by a quoted brace, and stay text when never closed', () => {
    expect(renderTemplate("${{ format('}}{0}', 'it''s') }}", scope())).toBe("}it's");
    expect(splitTemplate('a ${{ b')).toEqual([{ kind: 'text', text: 'a ${{ b' }]);
  });

  it('evaluate whole mappings', () => {
    expect(renderTexts({ a: '${{ 1 }}', b: true, c: null }, scope())).toEqual({ a: '1', b: 'true', c: '' });
    expect(renderTexts('${{ fromJSON(\'{"x":1}\') }}', scope())).toEqual({ x: '1' });
  });

  it('name what they do not know', () => {
    expect(() => renderTemplate('${{ nothing.x }}', scope())).toThrow(/Unrecognized named-value: 'nothing'/);
    expect(() => renderTemplate('${{ nope() }}', scope())).toThrow(/Unrecognized function: 'nope'/);
  });
});

describe('conditions', () => {
  it('imply success() unless they speak of the status themselves', () => {
    expect(conditionExpression(undefined)).toBe('success()');
    expect(conditionExpression("env.a == 'b'")).toBe("success() && (env.a == 'b')");
    expect(conditionExpression('${{ always() }}')).toBe('always()');
    expect(conditionExpression("env.always == 'always()'")).toBe("success() && (env.always == 'always()')");
    expect(conditionExpression('!cancelled() && ${{ env.a }}')).toBe('!cancelled() && (env.a)');
  });

  it('are evaluated with what came before', () => {
    expect(evaluateCondition('true', scope({}, true))).toBe(false);
    expect(evaluateCondition('failure()', scope({}, true))).toBe(true);
    expect(evaluateCondition("env.x != 'y'", scope({ env: { x: 'Y' } }))).toBe(false);
    expect(evaluateCondition('env.x', scope({ env: { x: '0' } }))).toBe(true);
    expect(evaluateCondition(false, scope())).toBe(false);
  });
});
