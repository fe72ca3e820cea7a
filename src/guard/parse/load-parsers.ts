import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Language as Grammar, Parser, type Tree } from 'web-tree-sitter';
import { CcdError } from '../../domain/errors.ts';
import { type Language, languages } from './languages.ts';
import type { ParsedFile, Parsers, SyntaxNode } from './syntax.ts';
import { openCursor, type Runtime, type TreeCursor } from './tree-cursor.ts';

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
const maxMillis = 5000;
const maxDepth = 1500;

let started: Promise<Runtime> | null = null;

/** The runtime puts its functions on the object that it is started with. */
async function startRuntime(wasm: string): Promise<Runtime> {
  const runtime = { locateFile: () => wasm };
  await Parser.init(runtime);
  return runtime as unknown as Runtime;
}

/** Loads the grammars of the given languages. Throws `guard.grammar-missing` when a file is not there or cannot be loaded. */
export async function loadParsers(
  places: WasmPlaces,
  wanted: readonly Language[] = languages,
  now: () => number = () => performance.now(),
): Promise<Parsers> {
  started ??= startRuntime(places.runtime);
  const runtime = await started;
  const loaded = new Map<Language, Parser>();
  for (const language of wanted) loaded.set(language, await loadParser(places, language));
  return {
    parse(language, text) {
      const parser = loaded.get(language);
      if (parser === undefined) throw missing(language, null);
      if (text.length > maxLength) return null;
      return parseText(runtime, parser, language, text, now);
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

function parseText(
  runtime: Runtime,
  parser: Parser,
  language: Language,
  text: string,
  now: () => number,
): ParsedFile | null {
  const deadline = now() + maxMillis;
  const tree = parser.parse(text, null, { progressCallback: () => now() > deadline });
  if (tree === null) {
    parser.reset();
    throw new CcdError({
      code: 'guard.parse-timeout',
      message: `A file in ${language} was not parsed within ${maxMillis / 1000} s.`,
      remedy: 'Judge again when the machine is less busy; split the file if it stays so.',
      audience: 'operator',
    });
  }
  try {
    return plainTree(runtime, tree, language, text);
  } finally {
    tree.delete();
  }
}

/** Most nodes have no children: they share the list of none. */
const none: SyntaxNode[] = [];

interface Growing extends SyntaxNode {
  children: SyntaxNode[];
  until: number;
}

/** Names of node types and fields by their ids: each question to the cursor crosses into wasm, these do not. */
interface Names {
  readonly type: (id: number) => { readonly name: string; readonly named: boolean };
  readonly field: (id: number) => string | null;
}

function namesOf(grammar: Grammar): Names {
  const types = new Map<number, { name: string; named: boolean }>();
  const fields = new Map<number, string | null>();
  return {
    type(id) {
      const known = types.get(id);
      if (known !== undefined) return known;
      const made =
        id === 0xffff
          ? { name: 'ERROR', named: true }
          : { name: grammar.nodeTypeForId(id) ?? '', named: grammar.nodeTypeIsNamed(id) };
      types.set(id, made);
      return made;
    },
    field: (id) => {
      if (id === 0) return null;
      const known = fields.get(id);
      if (known !== undefined) return known;
      const made = grammar.fieldNameForId(id);
      fields.set(id, made);
      return made;
    },
  };
}

/** Copies a tree out of wasm memory; null when it nests deeper than any honest file. */
function plainTree(runtime: Runtime, tree: Tree, language: Language, text: string): ParsedFile | null {
  const errorLines: number[] = [];
  const order: SyntaxNode[] = [];
  const names = namesOf(tree.language);
  const lineAt = lineCounter(text);
  const cursor = openCursor(runtime, tree);
  let depth = 0;
  let parent: Growing | null = null;
  let root: Growing | null = null;
  try {
    for (;;) {
      const node: Growing = plainNode(cursor, parent, names, lineAt, order);
      root ??= node;
      if (parent?.children === none) parent.children = [node];
      else parent?.children.push(node);
      if (node.type === 'ERROR' || (node.start === node.end && cursor.isMissing()))
        errorLines.push(node.line);
      if (cursor.firstChild()) {
        parent = node;
        depth += 1;
        if (depth > maxDepth) return null;
        continue;
      }
      node.until = order.length;
      while (!cursor.nextSibling()) {
        if (!cursor.parent()) return { language, text, root, errorLines };
        depth -= 1;
        if (parent !== null) parent.until = order.length;
        parent = (parent?.parent ?? null) as Growing | null;
      }
    }
  } finally {
    cursor.close();
  }
}

function plainNode(
  cursor: TreeCursor,
  parent: Growing | null,
  names: Names,
  lineAt: (index: number) => number,
  order: SyntaxNode[],
): Growing {
  const { name, named } = names.type(cursor.typeId());
  const start = cursor.start();
  const node: Growing = {
    type: name,
    named,
    field: names.field(cursor.fieldId()),
    start,
    end: cursor.end(),
    line: lineAt(start),
    children: none,
    parent,
    order,
    at: order.length,
    until: order.length + 1,
  };
  order.push(node);
  return node;
}

/** Line numbers of indices that never go back: nodes come in the order of their starts. */
function lineCounter(text: string): (index: number) => number {
  let line = 1;
  let next = text.indexOf('\n');
  return (index) => {
    while (next >= 0 && next < index) {
      line += 1;
      next = text.indexOf('\n', next + 1);
    }
    return line;
  };
}
