import { chainOf, isCall, isFunctionLiteral } from '../../parse/call-chain.ts';
import { familyOf } from '../../parse/languages.ts';
import {
  ancestors,
  childByField,
  findAll,
  isComment,
  type ParsedFile,
  type SyntaxNode,
  textOf,
  walk,
} from '../../parse/syntax.ts';
import type { Item } from '../items/item.ts';

export interface Mute {
  readonly class: string;
  readonly node: SyntaxNode;
}

/** Words on a title, marker or option, and the class of each. */
const words: readonly (readonly [RegExp, string])[] = [
  [
    /^(skip\w*|Skip\w*|xit|xtest|xdescribe|xcontext|xspecify|xexample|Disabled\w*|Ignore\w*|ignore|ignored|Explicit|DisabledIf\w*|Enabled(If|On|For)\w*|runIf|fixme|requires|importorskip|omit|disabled)$/,
    'skip-marker',
  ],
  [/^(xfail|expectedFailure|fails|failing|todo|pending|Pending|expected_failure)$/, 'expected-failure'],
  [/^(only|focus|focused|fit|fdescribe|fcontext|fspecify|fexample|solo)$/, 'focus-only'],
  [
    /^(retry|retries|retryTimes|flaky|Flaky|Retry|RetryFact|RetryTheory|rerun|rerunFailing\w*|RetryingTest|FlakyTest)$/,
    'retry-until-green',
  ],
  [/^\[/, 'aliased-skip'],
];

function classOfWord(word: string): string | null {
  return words.find(([pattern]) => pattern.test(word))?.[1] ?? null;
}

/** What mutes a unit or container by its head: chain of the call, options, decorators, attributes, annotations. */
export function headMutes(file: ParsedFile, item: Item): Mute[] {
  const found: Mute[] = [];
  for (const part of item.parts) {
    for (const node of headNodes(part, item.body)) {
      const word = markerWord(file, node);
      const known = word === null ? null : classOfWord(word);
      if (known !== null) found.push({ class: known, node });
    }
    if (
      isComment(part) &&
      /@(requires|doesNotPerformAssertions|depends)|go:build|\+build/.test(textOf(file, part))
    ) {
      found.push({ class: /build/.test(textOf(file, part)) ? 'compiled-out' : 'skip-marker', node: part });
    }
    if (
      part.type === 'attribute_item' &&
      /^#!?\[\s*(cfg\s*\((?!\s*test\s*\))|cfg_attr)/.test(textOf(file, part))
    ) {
      found.push({ class: 'compiled-out', node: part });
    }
  }
  return found;
}

/** The nodes of a statement outside its body and outside function literals. */
function* headNodes(node: SyntaxNode, body: SyntaxNode | null): Generator<SyntaxNode> {
  if (
    node === body ||
    isFunctionLiteral(node) ||
    /^(block|body_statement|compound_statement|declaration_list|class_body)$/.test(node.type)
  )
    return;
  yield node;
  for (const child of node.children) yield* headNodes(child, body);
}

/** The word that a node of a head puts on the unit, if it is one that can: never text in quotes, save option keys. */
function markerWord(file: ParsedFile, node: SyntaxNode): string | null {
  const parent = node.parent;
  if (parent === null) return null;
  if (node.type === 'subscript_expression') return '[';
  if (/^(property_identifier|field_identifier|simple_symbol|hash_key_symbol)$/.test(node.type)) {
    return textOf(file, node).replace(/^:/, '');
  }
  if (!/^(identifier|name|type_identifier|constant)$/.test(node.type)) return null;
  const inMarker = [...ancestors(node)].some((each) =>
    /^(decorator|annotation|marker_annotation|attribute|attribute_list|attribute_item|attribute_group)$/.test(
      each.type,
    ),
  );
  const isCallee =
    isCall(parent) && (parent.children[0] === node || node.field === 'method' || node.field === 'function');
  if (familyOf(file.language) === 'rust' && !inMarker) return null;
  return inMarker || isCallee ? textOf(file, node) : null;
}

const skipCalls =
  /^(skip|Skip|Skipf|SkipNow|skipTest|skip_test|SkipTest|xfail|importorskip|todo|markTestSkipped|markTestIncomplete|assumeTrue|assumeFalse|assumeThat|assumeNotNull|assumingThat|abort|Ignore|Inconclusive|SkipWhen|SkipUnless|pending|omit|notify|retryTimes|exitsWith)$/;

/** What mutes a unit from inside: it skips itself, or leaves before anything could fail. */
export function bodyMutes(file: ParsedFile, body: SyntaxNode): Mute[] {
  const found: Mute[] = [];
  for (const node of walk(body)) {
    const chain = isCall(node)
      ? chainOf(file, node)
      : file.language === 'ruby' && node.type === 'identifier'
        ? [textOf(file, node)]
        : [];
    const last = chain.at(-1) ?? '';
    const bare =
      chain.length > 1 ||
      /^(ruby|python|java|php|c-sharp)$/.test(file.language) ||
      /^(skip|todo)$/.test(last);
    if (skipCalls.test(last) && bare && !isMethodOfSubject(file, node, chain)) {
      found.push({
        class: /^(xfail|pending|todo)$/.test(last)
          ? 'expected-failure'
          : /assum/.test(last)
            ? 'early-exit-in-test'
            : last === 'retryTimes'
              ? 'retry-until-green'
              : 'skip-marker',
        node,
      });
    }
    if (
      /^(raise_statement|throw_statement)$/.test(node.type) &&
      /\bSkip(Test|ped)?\w*\b/.test(textOf(file, node).slice(0, 60))
    ) {
      found.push({ class: 'skip-marker', node });
    }
  }
  return [...found, ...earlyExits(file, body)];
}

/** A method of some object of the code under test that happens to be called so. */
function isMethodOfSubject(file: ParsedFile, node: SyntaxNode, chain: readonly string[]): boolean {
  if (chain.length < 2)
    return (
      file.language === 'ruby' &&
      node.type === 'identifier' &&
      node.parent !== null &&
      /argument|assignment|binary|pair/.test(node.parent.type)
    );
  return !/^(pytest|unittest|self|t|this|test|it|ctx|context|b|f|tb|\$this|self|Assert|Assume|Assumptions|Assumption|org|Skip|jest|vi|cls)$/.test(
    chain[0] ?? '',
  );
}

/** Bare returns under a condition before which nothing in the same block has failed the test. */
function earlyExits(file: ParsedFile, body: SyntaxNode): Mute[] {
  return findAll(body, (node) => /^(return_statement|return)$/.test(node.type) && node.named)
    .filter((node) => node.children.filter((child) => child.named).length === 0)
    .filter((node) => belongsTo(node, body))
    .filter((node) => !failsBefore(file, node))
    .map((node) => ({
      class: /env|\bCI\b|platform|GOOS|OperatingSystem/.test(conditionOf(file, node))
        ? 'environment-conditional-skip'
        : 'early-exit-in-test',
      node,
    }));
}

/** Whether the nearest function around a node is the unit itself, or a callback that runs in its place. */
function belongsTo(node: SyntaxNode, body: SyntaxNode): boolean {
  for (const parent of ancestors(node)) {
    if (parent === body) return true;
    if (
      /^(function_definition|method_definition|function_declaration|method|function_item|local_function_statement|lambda)$/.test(
        parent.type,
      )
    )
      return false;
  }
  return true;
}

function failsBefore(file: ParsedFile, node: SyntaxNode): boolean {
  const siblings = node.parent?.children ?? [];
  return siblings
    .slice(0, siblings.indexOf(node))
    .some((each) =>
      /\b(assert|expect|Error|Errorf|Fatal|Fatalf|fail|Fail|done)\w*[!(. ]/.test(textOf(file, each)),
    );
}

function conditionOf(file: ParsedFile, node: SyntaxNode): string {
  for (const parent of ancestors(node)) {
    const condition = childByField(parent, 'condition');
    if (condition !== null) return textOf(file, condition);
  }
  return '';
}
