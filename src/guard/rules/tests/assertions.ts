import { argumentsOf, chainOf, isCall, isFunctionLiteral, macroArguments } from '../../parse/call-chain.ts';
import { signature } from '../../parse/signature.ts';
import {
  ancestors,
  childByField,
  contains,
  type ParsedFile,
  type SyntaxNode,
  textOf,
  walk,
} from '../../parse/syntax.ts';
import { isConstantWord, isLiteral } from './literals.ts';

/** How much an assertion says, and what keeps it from being reached; null when nothing does. */
export interface Assertion {
  readonly node: SyntaxNode;
  readonly strength: 'compares' | 'presence' | 'tautology' | 'self-oracle';
  readonly kept: 'swallowed' | 'conditional' | 'never-reached' | 'not-awaited' | null;
}

const verbs =
  /^(assert\w*|expect\w*|should\w*|refute\w*|verify\w*|must_\w+|wont_\w+|is_expected|raises|throws|rejects|ensure|prop_assert\w*|check|fail|Should|Must|Expect\w*|Assert\w*|Verify\w*|satisfy|cy)$/;
const goVerbs =
  /^(Error|Errorf|Fatal|Fatalf|Fail|FailNow|Equal\w*|NotEqual\w*|True|False|Nil|NotNil|NoError|Len|Contains|ElementsMatch|Empty|NotEmpty|Panics\w*|ErrorIs|ErrorAs|JSONEq|Zero|Greater\w*|Less\w*|InDelta|Regexp|Eventually|DeepEqual)$/;
const tapVerbs =
  /^(is|not|ok|notOk|same|notSame|equal|notEqual|equals|deepEqual|notDeepEqual|like|true|false|truthy|falsy|throws|throwsAsync|notThrows|rejects|match|matchSnapshot|snapshot|pass|fail|strictEqual|deepStrictEqual|doesNotThrow|strictSame|error|ifError|resolves|regex|assert)$/;
const failing = /^(fail|Fail|FailNow|Error|Errorf|Fatal|Fatalf|panic|flunk|unreachable|pass)$/;
const presence =
  /^(toBeDefined|toBeTruthy|toBeInstanceOf|hasattr|callable|isinstance|assertIsNotNone|assertNotNull|NotNull|IsNotNull|NotNil|assert_not_nil|refute_nil|respond_to|assert_respond_to|toHaveProperty|be_truthy|assertInstanceOf|method_exists|function_exists|class_exists|assertTrue|exist|isDefined|assertIsInstance|not_to_be_nil|toBeTypeOf|any|anything|be_a|be_an|be_kind_of|be_an_instance_of)$/;

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

/** The assertions of a test, outermost first. */
export function assertionsIn(file: ParsedFile, test: SyntaxNode, helpers: ReadonlySet<string>): Assertion[] {
  const found: Assertion[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node !== test && isAssertion(file, node, helpers)) {
      found.push({ node, strength: strengthOf(file, node, test), kept: keptBy(file, node, test, helpers) });
      return;
    }
    for (const child of node.children) visit(child);
  };
  visit(test);
  return found;
}

function strengthOf(file: ParsedFile, node: SyntaxNode, test: SyntaxNode): Assertion['strength'] {
  if (/^(throw|raise)_statement$/.test(node.type)) return 'compares';
  const chain = isCall(node) ? chainOf(file, node) : [];
  if (failing.test(chain.at(-1) ?? '')) return 'compares';
  const operands = operandsOf(file, node);
  if (operands.length > 0 && operands.every((each) => each.constant)) return 'tautology';
  const texts = operands.map((each) => each.text);
  if (texts.length >= 2 && texts[0] === texts[1]) return 'tautology';
  if (alwaysTrue(file, node)) return 'tautology';
  const initial = operands.slice(0, 2).map((each) => initializerOf(file, test, each.text) ?? each.text);
  if (texts.length >= 2 && initial[0] === initial[1]) return 'self-oracle';
  const weak = contains(node, (each) => presence.test(textOf(file, each)) && each.children.length === 0);
  const typed = contains(node, (each) => /^(typeof)$/.test(each.type));
  return weak || typed ? 'presence' : 'compares';
}

interface Operand {
  readonly text: string;
  readonly constant: boolean;
}

/** What an assertion compares: both sides of a comparison, or the arguments, those of `expect(…)` included. */
function operandsOf(file: ParsedFile, node: SyntaxNode): Operand[] {
  if (node.type === 'macro_invocation') {
    return macroArguments(node).map((tokens) => ({
      text: tokens.map((token) => signature(file, token)).join(' '),
      constant: tokens.every((token) => isLiteral(token)),
    }));
  }
  if (node.type === 'assert_statement') {
    const subject = node.children.find((child) => child.named);
    return subject === undefined ? [] : sides(file, subject);
  }
  const own = argumentsOf(node).filter((each) => !isFunctionLiteral(each));
  const inner = [...walk(node)].filter(
    (each) => each !== node && isCall(each) && /^expect$/.test(chainOf(file, each).join('.')),
  );
  const expected = inner.flatMap((each) => argumentsOf(each));
  const matched = own.flatMap((each) =>
    isCall(each) && inner.length > 0 && chainOf(file, each).length === 1 ? argumentsOf(each) : [each],
  );
  const all = [...expected.filter((each) => !own.includes(each)), ...matched];
  const [single] = all;
  return all.length === 1 && single !== undefined
    ? sides(file, single)
    : all.map((each) => operand(file, each));
}

function sides(file: ParsedFile, node: SyntaxNode): Operand[] {
  if (/^(binary_expression|comparison_operator|binary|binary_operator)$/.test(node.type)) {
    const named = node.children.filter((child) => child.named && child.field !== 'operators');
    if (named.length === 2) return named.map((each) => operand(file, each));
  }
  return [operand(file, node)];
}

function operand(file: ParsedFile, node: SyntaxNode): Operand {
  return { text: signature(file, node), constant: isLiteral(node) };
}

function alwaysTrue(file: ParsedFile, node: SyntaxNode): boolean {
  return contains(node, (each) => {
    if (!/^(binary_expression|boolean_operator|binary)$/.test(each.type)) return false;
    const joined = each.children.some((child) => /^(\|\||or)$/.test(child.type));
    return (
      joined &&
      each.children.some((child) => child.named && isConstantWord(child) && /true/i.test(textOf(file, child)))
    );
  });
}

/** What a local name is given where that happens exactly once in the test. */
function initializerOf(file: ParsedFile, test: SyntaxNode, name: string): string | null {
  if (!/^[$\w]+$/.test(name)) return null;
  const given = [...walk(test)].filter((node) => {
    if (
      !/^(variable_declarator|assignment|let_declaration|short_var_declaration|assignment_expression)$/.test(
        node.type,
      )
    )
      return false;
    const left = childByField(node, 'name') ?? childByField(node, 'left') ?? childByField(node, 'pattern');
    return left !== null && textOf(file, left) === name;
  });
  const [only] = given;
  if (only === undefined || given.length !== 1) return null;
  const value =
    childByField(only, 'value') ??
    childByField(only, 'right') ??
    only.children.findLast((child) => child.named);
  return value === undefined || value === null ? null : signature(file, value);
}

function keptBy(
  file: ParsedFile,
  node: SyntaxNode,
  test: SyntaxNode,
  helpers: ReadonlySet<string>,
): Assertion['kept'] {
  let child = node;
  const chain = isCall(node) ? chainOf(file, node) : [];
  // A call that fails the test is the branch of a condition by nature: the nearest one is its assertion.
  let spare = failing.test(chain.at(-1) ?? '') || /^(throw|raise)_statement$/.test(node.type) ? 1 : 0;
  if (notAwaited(file, node, chain)) return 'not-awaited';
  for (const parent of ancestors(node)) {
    const kept = keptHere(file, parent, child, helpers);
    if (kept === 'conditional' && spare > 0) spare -= 1;
    else if (kept !== null) return kept;
    if (parent === test || child === test) break;
    child = parent;
  }
  return null;
}

function notAwaited(file: ParsedFile, node: SyntaxNode, chain: readonly string[]): boolean {
  if (!/^(javascript|typescript|tsx)$/.test(file.language)) return false;
  const promised = chain.some((part) => /^(rejects|resolves|doesNotReject)$/.test(part));
  return promised && node.parent?.type === 'expression_statement';
}

function keptHere(
  file: ParsedFile,
  parent: SyntaxNode,
  child: SyntaxNode,
  helpers: ReadonlySet<string>,
): Assertion['kept'] {
  if (/^(try_statement|begin|body_statement|begin_block|try_with_resources_statement)$/.test(parent.type)) {
    const handlers = parent.children.filter((each) =>
      /^(catch_clause|except_clause|except_group_clause|rescue|catch)$/.test(each.type),
    );
    if (handlers.includes(child)) return 'conditional';
    const swallows = handlers.some(
      (handler) =>
        !contains(
          handler,
          (each) => each !== handler && (isAssertion(file, each, helpers) || isRethrow(file, each)),
        ),
    );
    if (swallows && !/finally|ensure|else/.test(child.type)) return 'swallowed';
  }
  if (parent.type === 'with_statement' && /\bsuppress\b/.test(textOf(file, parent).split('\n')[0] ?? ''))
    return 'swallowed';
  if (/^(rescue_modifier|if_modifier|unless_modifier)$/.test(parent.type))
    return parent.type === 'rescue_modifier' ? 'swallowed' : 'conditional';
  if (
    /^(if_statement|if|unless|if_expression|if_let_expression|conditional|ternary_expression|conditional_expression|switch_statement|switch_expression|match_expression|match_statement|case|expression_switch_statement|type_switch_statement)$/.test(
      parent.type,
    )
  ) {
    return childByField(parent, 'condition') === child || hasElse(parent) ? null : 'conditional';
  }
  if (
    /^(for_statement|for_in_statement|for|while|while_statement|enhanced_for_statement|foreach_statement|for_each_statement|for_expression)$/.test(
      parent.type,
    )
  ) {
    return emptyLoop(file, parent) ? 'never-reached' : null;
  }
  if (
    isCall(parent) &&
    child.type.startsWith('argument') &&
    /^(catch|setTimeout|setInterval|setImmediate|on|once|nextTick)$/.test(chainOf(file, parent).at(-1) ?? '')
  ) {
    return 'not-awaited';
  }
  if (
    isCall(parent) &&
    /^(forEach|each|map)$/.test(chainOf(file, parent).at(-1) ?? '') &&
    emptySource(file, parent.children[0] ?? parent)
  )
    return 'never-reached';
  return afterExit(parent, child) ? 'never-reached' : null;
}

function isRethrow(file: ParsedFile, node: SyntaxNode): boolean {
  return (
    /^(throw_statement|raise_statement|throw_expression)$/.test(node.type) ||
    (node.type === 'identifier' && textOf(file, node) === 'raise')
  );
}

function hasElse(node: SyntaxNode): boolean {
  return node.children.some((child) => /else|default/.test(child.type) || child.field === 'alternative');
}

function emptyLoop(file: ParsedFile, loop: SyntaxNode): boolean {
  const clause = loop.children.find((child) => child.type === 'range_clause') ?? loop;
  const source =
    childByField(clause, 'right') ?? childByField(clause, 'value') ?? childByField(clause, 'collection');
  return source !== null && emptySource(file, source, loop);
}

/** Whether what is looped over is empty, or was picked by a condition that may pick nothing. */
function emptySource(file: ParsedFile, source: SyntaxNode, loop: SyntaxNode = source): boolean {
  const text = textOf(file, source);
  if (/^(\[\s*\]|\(\s*\)|\{\s*\}|range\(0\)|\w*\{\})$/.test(text)) return true;
  if (
    /\.(filter|select|reject|grep|find_all|Where)\b|\bif\b.*\]$|array_filter|slice\(0, *0\)|\[:0\]/.test(text)
  )
    return true;
  if (!/^[$\w]+$/.test(text)) return false;
  for (const scope of ancestors(loop)) {
    const value = initializerText(file, scope, text);
    if (value !== null) return emptyText(value);
  }
  return false;
}

function emptyText(value: string): boolean {
  return (
    /^(\[\s*\]|\(\s*\)|\{\s*\}|array\(\))$/.test(value) ||
    /\.(filter|select|reject|grep|Where)\(|\bif\b.*\]$|array_filter/.test(value)
  );
}

function initializerText(file: ParsedFile, scope: SyntaxNode, name: string): string | null {
  for (const node of scope.children) {
    for (const each of node.children.length > 0 ? [node, ...node.children] : [node]) {
      if (
        !/^(variable_declarator|assignment|let_declaration|short_var_declaration|assignment_expression)$/.test(
          each.type,
        )
      )
        continue;
      const left = childByField(each, 'name') ?? childByField(each, 'left') ?? childByField(each, 'pattern');
      const value = childByField(each, 'value') ?? childByField(each, 'right');
      if (left !== null && value !== null && textOf(file, left) === name) return textOf(file, value);
    }
  }
  return null;
}

/** Whether a statement before this one in the same block always leaves it. */
function afterExit(parent: SyntaxNode, child: SyntaxNode): boolean {
  const index = parent.children.indexOf(child);
  return parent.children
    .slice(0, index)
    .some((each) =>
      /^(return_statement|return|break_statement|continue_statement|throw_statement|raise_statement)$/.test(
        each.type,
      ),
    );
}
