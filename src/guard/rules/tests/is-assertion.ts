import { chainOf, isCall } from '../../parse/call-chain.ts';
import type { ParsedFile, SyntaxNode } from '../../parse/syntax.ts';

const verbs =
  /^(assert\w*|expect\w*|should\w*|refute\w*|verify\w*|must_\w+|wont_\w+|is_expected|raises|throws|rejects|ensure|prop_assert\w*|check|fail|Should|Must|Expect\w*|Assert\w*|Verify\w*|satisfy|cy)$/;
const goVerbs =
  /^(Error|Errorf|Fatal|Fatalf|Fail|FailNow|Equal\w*|NotEqual\w*|True|False|Nil|NotNil|NoError|Len|Contains|ElementsMatch|Empty|NotEmpty|Panics\w*|ErrorIs|ErrorAs|JSONEq|Zero|Greater\w*|Less\w*|InDelta|Regexp|Eventually|DeepEqual)$/;
const tapVerbs =
  /^(is|not|ok|notOk|same|notSame|equal|notEqual|equals|deepEqual|notDeepEqual|like|true|false|truthy|falsy|throws|throwsAsync|notThrows|rejects|match|matchSnapshot|snapshot|pass|fail|strictEqual|deepStrictEqual|doesNotThrow|strictSame|error|ifError|resolves|regex|assert)$/;
/** Calls that fail a test when they are reached: the branch of a condition by nature. */
export const failing = /^(fail|Fail|FailNow|Error|Errorf|Fatal|Fatalf|panic|flunk|unreachable|pass)$/;

/** Whether a node states something that can fail a test. `helpers` are names of functions that assert. */
export function isAssertion(file: ParsedFile, node: SyntaxNode, helpers: ReadonlySet<string>): boolean {
  if (node.type === 'assert_statement') return true;
  if (node.type === 'throw_statement' || node.type === 'raise_statement') return true;
  if (!isCall(node)) return false;
  const chain = chainOf(file, node);
  const root = chain[0] ?? '';
  const last = chain.at(-1) ?? '';
  if (node.type === 'macro_invocation')
    return /^(assert\w*|debug_assert\w*|prop_assert\w*|panic|unreachable|check\w*)$/.test(last);
  if (
    verbs.test(root) ||
    verbs.test(last) ||
    chain.some((part) => /^(expect|assert|should|Should|Assert)$/.test(part))
  )
    return true;
  if (file.language === 'go')
    return chain.length > 1 && goVerbs.test(last) && root !== 'fmt' && root !== 'errors';
  if (/^(t|tap|qunit)$/.test(root)) return chain.length > 1 && tapVerbs.test(last);
  return helpers.has(last);
}
