import { isAlias, isMap, isPair, isScalar, isSeq, type Node, type Pair, parseDocument } from 'yaml';

/** Values of a file once every alias stands for what it names. */
const MAX_VALUES = 100_000;
const MAX_DEPTH = 100;

interface Size {
  readonly values: number;
  readonly depth: number;
}

const ONE: Size = { values: 1, depth: 1 };
const ENDLESS: Size = { values: Number.POSITIVE_INFINITY, depth: Number.POSITIVE_INFINITY };

/**
 * Why a YAML text is too much to be read, or null. To be asked before any parser that puts aliases in their place: a few lines can
 * stand for millions of values, or for themselves.
 */
export function tooMuchYaml(text: string): string | null {
  try {
    const { values, depth } = sizeOf(parseDocument(text).contents, new Map());
    if (values > MAX_VALUES) return `The file stands for more than ${MAX_VALUES} values`;
    return depth > MAX_DEPTH ? `The file is nested deeper than ${MAX_DEPTH} levels` : null;
  } catch (error) {
    // The parser's own stack ended, or this one's.
    if (error instanceof RangeError) return 'The file is nested too deep';
    throw error;
  }
}

/** In the order of the text: an alias means the last value of its name before it. */
function sizeOf(node: Node | Pair | null, anchors: Map<string, Size>): Size {
  if (node === null) return ONE;
  if (isAlias(node)) return anchors.get(node.source) ?? ONE;
  if (isPair(node)) {
    const pair = node as Pair<Node | null, Node | null>;
    return sum([sizeOf(pair.key, anchors), sizeOf(pair.value, anchors)], 0);
  }
  const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
  if (anchor !== undefined) anchors.set(anchor, ENDLESS);
  const items = isMap(node) || isSeq(node) ? (node.items as (Node | Pair)[]) : [];
  const size = sum(
    items.map((item) => sizeOf(item, anchors)),
    1,
  );
  if (anchor !== undefined) anchors.set(anchor, size);
  return size;
}

function sum(parts: readonly Size[], own: 0 | 1): Size {
  let [values, depth] = [own as number, 0];
  for (const part of parts) {
    values += part.values;
    depth = Math.max(depth, part.depth);
  }
  return { values, depth: depth + own };
}
