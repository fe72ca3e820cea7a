import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Language as Grammar, Parser, type Tree } from 'web-tree-sitter';
import { CcdError } from '../../domain/errors.ts';
import { type Language, languages } from './languages.ts';
import type { ParsedFile, Parsers, SyntaxNode } from './syntax.ts';

/** Where the wasm files lie: that of the runtime, and the folder of `tree-sitter-<language>.wasm`. */
export interface WasmPlaces {
  readonly runtime: string;
  readonly grammars: string;
}

/** The wasm files in one folder, as a bundle has them. */
export function wasmFolder(folder: string): WasmPlaces {
  return { runtime: join(folder, 'web-tree-sitter.wasm'), grammars: folder };
}

/** The wasm files of the installed packages. */
export function wasmOfPackages(): WasmPlaces {
  const require = createRequire(import.meta.url);
  const grammar = require.resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm');
  return { runtime: require.resolve('web-tree-sitter/web-tree-sitter.wasm'), grammars: dirname(grammar) };
}

/** Largest text that is parsed, in UTF-16 units, and longest time for one file in milliseconds. */
const maxLength = 2 * 1024 * 1024;
const maxMillis = 2000;
const maxDepth = 1500;

let runtime: Promise<void> | null = null;

/** Loads the grammars of the given languages. Throws `guard.grammar-missing` when a file is not there or cannot be loaded. */
export async function loadParsers(
  places: WasmPlaces,
  wanted: readonly Language[] = languages,
  now: () => number = () => performance.now(),
): Promise<Parsers> {
  runtime ??= Parser.init({ locateFile: () => places.runtime });
  await runtime;
  const loaded = new Map<Language, Parser>();
  for (const language of wanted) loaded.set(language, await loadParser(places, language));
  return {
    parse(language, text) {
      const parser = loaded.get(language);
      if (parser === undefined) throw missing(language, null);
      if (text.length > maxLength) return null;
      return parseText(parser, language, text, now);
    },
  };
}

async function loadParser(places: WasmPlaces, language: Language): Promise<Parser> {
  try {
    const parser = new Parser();
    const bytes = await readFile(join(places.grammars, `tree-sitter-${language}.wasm`));
    parser.setLanguage(await Grammar.load(bytes));
    return parser;
  } catch (cause) {
    throw missing(language, cause);
  }
}

function missing(language: Language, cause: unknown): CcdError {
  return new CcdError({
    code: 'guard.grammar-missing',
    message: `The grammar for ${language} could not be loaded.`,
    remedy: 'Install the dependencies again, or build the bundle again.',
    audience: 'operator',
    ...(cause === null ? {} : { cause }),
  });
}

function parseText(parser: Parser, language: Language, text: string, now: () => number): ParsedFile | null {
  const deadline = now() + maxMillis;
  const tree = parser.parse(text, null, { progressCallback: () => now() > deadline });
  if (tree === null) {
    parser.reset();
    return null;
  }
  try {
    return plainTree(tree, language, text);
  } finally {
    tree.delete();
  }
}

interface Growing extends SyntaxNode {
  readonly children: SyntaxNode[];
}

/** Copies a tree out of wasm memory; null when it nests deeper than any honest file. */
function plainTree(tree: Tree, language: Language, text: string): ParsedFile | null {
  const errorLines: number[] = [];
  const cursor = tree.walk();
  let depth = 0;
  let parent: Growing | null = null;
  let root: Growing | null = null;
  try {
    for (;;) {
      const node: Growing = plainNode(cursor, parent);
      root ??= node;
      parent?.children.push(node);
      if (node.type === 'ERROR' || cursor.nodeIsMissing) errorLines.push(node.line);
      if (cursor.gotoFirstChild()) {
        parent = node;
        depth += 1;
        if (depth > maxDepth) return null;
        continue;
      }
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) return { language, text, root, errorLines };
        depth -= 1;
        parent = (parent?.parent ?? null) as Growing | null;
      }
    }
  } finally {
    cursor.delete();
  }
}

type Cursor = ReturnType<Tree['walk']>;

function plainNode(cursor: Cursor, parent: Growing | null): Growing {
  return {
    type: cursor.nodeType,
    named: cursor.nodeIsNamed,
    field: cursor.currentFieldName,
    start: cursor.startIndex,
    end: cursor.endIndex,
    line: cursor.startPosition.row + 1,
    children: [],
    parent,
  };
}
