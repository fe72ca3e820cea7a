/** Indices of the items that only the first, or only the second sequence has. */
export interface SequenceDiff {
  readonly removed: readonly number[];
  readonly added: readonly number[];
}

/** Beyond this many differences the whole middle counts as changed: never less than the truth. */
const maxDifferences = 1500;

/** Shortest edit between two sequences (Myers). Items are compared as they are. */
export function diffSequences(left: readonly string[], right: readonly string[]): SequenceDiff {
  let from = 0;
  while (from < left.length && from < right.length && left[from] === right[from]) from++;
  let leftEnd = left.length;
  let rightEnd = right.length;
  while (leftEnd > from && rightEnd > from && left[leftEnd - 1] === right[rightEnd - 1]) {
    leftEnd--;
    rightEnd--;
  }
  const middle = shortestEdit(left.slice(from, leftEnd), right.slice(from, rightEnd));
  return {
    removed: middle.removed.map((index) => index + from),
    added: middle.added.map((index) => index + from),
  };
}

function shortestEdit(left: readonly string[], right: readonly string[]): SequenceDiff {
  const everything = { removed: [...left.keys()], added: [...right.keys()] };
  if (left.length === 0 || right.length === 0) return everything;
  const limit = Math.min(left.length + right.length, maxDifferences);
  const trace: Int32Array[] = [];
  const furthest = new Int32Array(2 * limit + 3);
  for (let edits = 0; edits <= limit; edits++) {
    trace.push(furthest.slice());
    if (extend(left, right, furthest, edits, limit + 1)) return walkBack(left, right, trace, limit + 1);
  }
  return everything;
}

/** One round of Myers' search; true when both ends are reached. */
function extend(
  left: readonly string[],
  right: readonly string[],
  furthest: Int32Array,
  edits: number,
  zero: number,
): boolean {
  for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
    const below = furthest[zero + diagonal + 1] ?? 0;
    const above = furthest[zero + diagonal - 1] ?? 0;
    let x = diagonal === -edits || (diagonal !== edits && above < below) ? below : above + 1;
    while (x < left.length && x - diagonal < right.length && left[x] === right[x - diagonal]) x++;
    furthest[zero + diagonal] = x;
    if (x >= left.length && x - diagonal >= right.length) return true;
  }
  return false;
}

function walkBack(
  left: readonly string[],
  right: readonly string[],
  trace: readonly Int32Array[],
  zero: number,
): SequenceDiff {
  const removed: number[] = [];
  const added: number[] = [];
  let x = left.length;
  let y = right.length;
  for (let edits = trace.length - 1; edits > 0; edits--) {
    const furthest = trace[edits] as Int32Array;
    const diagonal = x - y;
    const below = furthest[zero + diagonal + 1] ?? 0;
    const above = furthest[zero + diagonal - 1] ?? 0;
    const down = diagonal === -edits || (diagonal !== edits && above < below);
    const previous = down ? diagonal + 1 : diagonal - 1;
    x = furthest[zero + previous] ?? 0;
    y = x - previous;
    if (down) added.push(y);
    else removed.push(x);
  }
  return { removed: removed.reverse(), added: added.reverse() };
}
