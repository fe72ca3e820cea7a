import { isAlias, isMap, isNode, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { type Problem, problem } from './problem.ts';

export interface YamlEntry {
  readonly key: string;
  readonly value: unknown;
  readonly line: number;
}

export interface YamlReading {
  readonly entries: readonly YamlEntry[];
  readonly problems: readonly Problem[];
}

const maxYamlLength = 32_768;

/**
 * Reads a YAML mapping as plain data: YAML 1.2 core only, each key once, no anchors, aliases or tags, so that a small text
 * cannot stand for a big one. `firstLine` is the line of the text's first line in the whole document.
 */
export function readYamlMapping(text: string, field: string, firstLine: number): YamlReading {
  const refuse = (code: string, message: string, line = firstLine): YamlReading => ({
    entries: [],
    problems: [problem(field, code, message, line)],
  });
  if (text.length > maxYamlLength)
    return refuse('too-long', `The YAML is longer than ${maxYamlLength} characters.`);
  try {
    return readDocument(text, field, firstLine);
  } catch (error) {
    // The YAML library recurses: nesting that exhausts the stack is the author's fault, everything else is ours.
    if (!(error instanceof RangeError)) throw error;
    return refuse('yaml-syntax', 'The YAML is nested too deeply.');
  }
}

function readDocument(text: string, field: string, firstLine: number): YamlReading {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    version: '1.2',
    schema: 'core',
    merge: false,
    uniqueKeys: true,
    stringKeys: true,
    prettyErrors: false,
  });
  const lineAt = (offset: number) => firstLine + lines.linePos(offset).line - 1;
  const problems: Problem[] = [...document.errors, ...document.warnings].map((fault) =>
    problem(field, faultCode(fault.code), faultMessage(fault), lineAt(fault.pos[0])),
  );
  visit(document, {
    Node(_key, node) {
      const found = isAlias(node)
        ? 'alias'
        : (node as { anchor?: string }).anchor
          ? 'anchor'
          : node.tag
            ? 'tag'
            : null;
      if (found === null || (found === 'tag' && !writtenTag(node, text))) return;
      problems.push(
        problem(
          field,
          'yaml-alias',
          `Write the value out: a YAML ${found} is not read.`,
          lineAt(startOf(node)),
        ),
      );
    },
  });
  if (problems.length > 0) return { entries: [], problems };
  const root = document.contents;
  if (root === null || (isScalar(root) && root.value === null)) return { entries: [], problems: [] };
  if (!isMap(root)) {
    return {
      entries: [],
      problems: [problem(field, 'yaml-syntax', 'Write `key: value` lines.', lineAt(startOf(root)))],
    };
  }
  const entries = root.items.map((pair) => ({
    key: isScalar(pair.key) ? String(pair.key.value) : String(pair.key),
    value: isNode(pair.value) ? (pair.value.toJS(document, { maxAliasCount: 0 }) as unknown) : null,
    line: lineAt(isNode(pair.key) ? startOf(pair.key) : 0),
  }));
  return { entries, problems };
}

function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

/** The library fills in tags by itself; only one that the author wrote starts with an exclamation mark in the text. */
function writtenTag(node: Node, text: string): boolean {
  const before = text.slice(0, startOf(node));
  return /![^\s,[\]{}]*\s*$/.test(before);
}

function faultCode(code: string): string {
  return code === 'DUPLICATE_KEY' ? 'duplicate-key' : 'yaml-syntax';
}

function faultMessage(fault: { code: string; message: string }): string {
  if (fault.code === 'DUPLICATE_KEY') return 'A key stands twice: keep one of them.';
  return `The YAML cannot be read: ${fault.message.replace(/\s+/g, ' ').slice(0, 200)}.`;
}
