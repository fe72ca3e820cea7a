import type { FileSide } from '../../model/change.ts';
import { targetFile } from '../../model/context-paths.ts';
import { chainOf, isCall } from '../../parse/call-chain.ts';
import { ancestors, isComment, type ParsedFile, type SyntaxNode, textOf, walk } from '../../parse/syntax.ts';
import { rootItems, unitsOf } from '../items/item.ts';
import type { Judged } from '../judged.ts';
import { literalKey, literalsIn } from '../tests/literals.ts';
import { isNamedUnit } from '../tests/unit-name.ts';
import { type Signal, signal } from './signal.ts';

/** Values too common to mean anything. */
const exempt = new Set(['n:0', 'n:1', 'n:-1', 's:']);

/**
 * Values of literals in the target tests: in the units themselves, in tables beside them, and in the data files that the
 * test file names. Each string also stands for its length.
 */
export function targetLiterals(judged: Judged): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const path of new Set(judged.spec.targetTests.map(targetFile))) {
    for (const side of sidesOf(judged, path)) {
      const tree = judged.parse(path, side);
      if (tree !== null) addTree(judged, path, tree, keys);
    }
  }
  for (const key of exempt) keys.delete(key);
  return keys;
}

function sidesOf(judged: Judged, path: string): FileSide[] {
  const changed = judged.change.changes.find((each) => each.path === path);
  const sides = changed === undefined ? [judged.change.context.get(path)] : [changed.base, changed.head];
  return sides.flatMap((side) => side ?? []);
}

function addTree(judged: Judged, path: string, tree: ParsedFile, keys: Set<string>): void {
  const targets = unitsOf(tree).filter((unit) =>
    isNamedUnit(judged.spec.targetTests, path, unit.containers, unit.name),
  );
  const tables = rootItems(tree).filter(
    (item) =>
      item.kind === 'declaration' &&
      targets.some((unit) => item.bound.some((name) => textOf(tree, unit.node).includes(name))),
  );
  const providers = unitsAround(tree).filter((node) =>
    targets.some((unit) => unit.parts.some((part) => textOf(tree, part).includes(nameText(tree, node)))),
  );
  for (const node of [
    ...targets.flatMap((unit) => unit.parts),
    ...tables.map((item) => item.node),
    ...providers,
  ]) {
    for (const literal of literalsIn(tree, node)) {
      keys.add(literal.key);
      if (inAnnotation(literal.node)) for (const key of rowKeys(literal.key)) keys.add(key);
    }
  }
  for (const [other, side] of dataOf(judged)) {
    if (side.text !== null && tree.text.includes(other.slice(other.lastIndexOf('/') + 1)))
      addData(side.text, keys);
  }
}

function inAnnotation(node: SyntaxNode): boolean {
  return [...ancestors(node)].some((parent) =>
    /^(annotation|attribute|decorator|attribute_item)$/.test(parent.type),
  );
}

/** Values of a row that a marker holds as one text, `"100, 119"`. */
function rowKeys(key: string): string[] {
  const parts = key
    .slice(2)
    .split(/[,;|]/)
    .map((part) => part.trim());
  if (!key.startsWith('s:') || parts.length < 2) return [];
  return parts.map((part) => (/^-?\d+(\.\d+)?$/.test(part) ? `n:${Number(part)}` : `s:${part}`));
}

function unitsAround(tree: ParsedFile): SyntaxNode[] {
  return [...walk(tree.root)].filter(
    (node) => /^(method_declaration|method)$/.test(node.type) && nameText(tree, node).length > 2,
  );
}

function nameText(tree: ParsedFile, node: SyntaxNode): string {
  const name = node.children.find((child) => child.field === 'name');
  return name === undefined ? '' : textOf(tree, name);
}

function dataOf(judged: Judged): [string, FileSide][] {
  const changed = judged.change.changes.flatMap(({ path, base, head }) =>
    [base, head].flatMap((side) => (side === null ? [] : [[path, side] as [string, FileSide]])),
  );
  return [...judged.change.context, ...changed].filter(([path]) => judged.testRoleOf(path) === 'test-data');
}

function addData(text: string, keys: Set<string>): void {
  if (text.length > 200_000) return;
  for (const match of text.matchAll(/"((?:[^"\\]|\\.)*)"|(-?\d+(?:\.\d+)?)/g)) {
    if (match[2] !== undefined) keys.add(`n:${Number(match[2])}`);
    else keys.add(`s:${unquote(match[1] ?? '')}`);
  }
  for (const line of text.split('\n')) if (line.trim().length > 1) keys.add(`s:${line.trim()}`);
}

function unquote(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}

/** Places in production code that answer by a value which a target test holds. */
export function overlapSignals(
  file: ParsedFile,
  keys: ReadonlySet<string>,
  known: ReadonlySet<string>,
  strict: boolean,
): Signal[] {
  const lengths = new Set(
    [...keys].filter((key) => key.startsWith('s:') && key.length > 4).map((key) => `n:${key.length - 2}`),
  );
  const found: Signal[] = [];
  let pairs = 0;
  for (const node of walk(file.root)) {
    const key = isComment(node) ? null : literalKey(file, node);
    if (key === null || exempt.has(key) || known.has(key)) continue;
    const place = placeOf(file, node);
    const hit = keys.has(key);
    if (place === 'compared' && hit)
      found.push(
        signal(
          file,
          'input-special-cased',
          node.parent ?? node,
          `compares with ${shown(key)}, a value of the target test`,
        ),
      );
    else if (
      place === 'compared' &&
      lengths.has(key) &&
      /length|len\b|size|count|Length|Count/.test(textOf(file, node.parent ?? node))
    ) {
      found.push(
        signal(
          file,
          'input-special-cased',
          node.parent ?? node,
          'compares with the length of a value of the target test',
        ),
      );
    } else if (hit && place === 'entry') {
      pairs += 1;
      if (pairs === 2 || isRich(key))
        found.push(
          signal(
            file,
            'answer-table',
            node.parent ?? node,
            `holds ${shown(key)}, a value of the target test`,
          ),
        );
    } else if (hit && place === 'answer' && isRich(key)) {
      found.push(
        signal(
          file,
          'stub-constant',
          node.parent ?? node,
          `answers ${shown(key)}, a value of the target test`,
        ),
      );
    }
  }
  // A new feature and its test share words; only an answer together with its input gives the game away.
  const kinds = new Set(found.map((each) => each.class));
  return strict || kinds.size > 1 || kinds.has('answer-table') ? found : [];
}

/** Texts of two letters and more, numbers of three digits and more or with a fraction. */
function isRich(key: string): boolean {
  if (key.startsWith('s:')) return key.length >= 4;
  const value = Math.abs(Number(key.slice(2)));
  return value >= 100 || !Number.isInteger(value);
}

function shown(key: string): string {
  return key.startsWith('s:') ? JSON.stringify(key.slice(2, 62)) : key.slice(2);
}

type Place = 'compared' | 'entry' | 'answer' | null;

/** How a literal is used: compared for equality, as key or value of a table, or as an answer. */
function placeOf(file: ParsedFile, literal: SyntaxNode): Place {
  let child = literal;
  for (const parent of ancestors(literal)) {
    if (
      /^(binary_expression|comparison_operator|binary|binary_operator|infix_expression)$/.test(parent.type)
    ) {
      const operator = parent.children.find(
        (each) =>
          /^(==|===|!=|!==|in|is|not in|eql\?|<=>|=~)$/.test(each.type) ||
          (each.field === 'operator' && /^(==|===|!=|!==)$/.test(textOf(file, each))) ||
          each.field === 'operators',
      );
      if (
        operator !== undefined &&
        /=|in|is/.test(textOf(file, operator)) &&
        !/^[<>]=?$/.test(textOf(file, operator))
      )
        return 'compared';
      // A number that is reckoned with is no answer.
      if ((literalKey(file, literal) ?? '').startsWith('n:')) return null;
    }
    if (
      /^(switch_case|case_clause|match_arm|match_pattern|case_pattern|expression_case|when|case_switch_label|switch_label|switch_section|switch_expression_arm|constant_pattern|case_statement|match_conditional_expression|in_clause|pattern|case)$/.test(
        parent.type,
      ) &&
      child.field !== 'body' &&
      child.field !== 'consequence' &&
      child === firstNamed(parent)
    )
      return 'compared';
    if (/^(let_condition|let_chain)$/.test(parent.type) && child.field === 'pattern') return 'compared';
    if (isCall(parent)) {
      const last = chainOf(file, parent).at(-1) ?? '';
      if (
        /^(equals|equalsIgnoreCase|Equals|eq|eql\?|includes|has|contains|Contains|indexOf|startsWith|endsWith|startswith|endswith|start_with\?|end_with\?|match|test|EqualFold|HasPrefix|HasSuffix|strcmp|in_array|array_key_exists|is|localeCompare|compareTo|isEqual|deepEqual|isDeepStrictEqual|include\?|starts_with|ends_with|DeepEqual|of|entry)$/.test(
          last,
        )
      )
        return 'compared';
      if (
        /^(Error|\w+Error|\w+Exception|raise|throw|panic|Errorf|format|log|print\w*|warn|debug|info|require|import|sprintf|Sprintf|printf|getenv|Getenv|get)$/.test(
          last,
        )
      )
        return null;
    }
    if (
      /^(throw_statement|raise_statement|import_statement|import_from_statement|import_spec|use_declaration|decorator|annotation|attribute|jsx_attribute|type_annotation|literal_type)$/.test(
        parent.type,
      )
    )
      return null;
    if (
      /^(pair|array_element_initializer|keyed_element|dictionary|hash|literal_value|object|element_binding|array_creation_expression|initializer_expression|array_initializer)$/.test(
        parent.type,
      )
    )
      return inAnswer(parent) ? 'answer' : 'entry';
    if (
      /^(return_statement|return|assignment|assignment_expression|assignment_statement|arrow_function|lambda|conditional_expression|ternary_expression|conditional|if_expression|match_arm|switch_expression_arm|variable_declarator|short_var_declaration|let_declaration|arrow_expression_clause|array|list|tuple|const_spec|const_item|field_declaration|const_element|property_element|public_field_definition|body_statement|then|block)$/.test(
        parent.type,
      )
    )
      return 'answer';
    if (/statement$|declaration$|definition$/.test(parent.type)) return null;
    child = parent;
  }
  return null;
}

function inAnswer(node: SyntaxNode): boolean {
  return [...ancestors(node)].some((parent) => /^return/.test(parent.type));
}

function firstNamed(node: SyntaxNode): SyntaxNode | undefined {
  return node.children.find((child) => child.named);
}
