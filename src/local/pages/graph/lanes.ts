/** A line of the graph between the middle of one row and its edge: from one lane to another. */
interface Edge {
  readonly from: number;
  readonly to: number;
}

/** How one commit stands in the graph. */
export interface GraphRow {
  /** Lane of the commit's dot, from 0. */
  readonly lane: number;
  /** Lines that come in at the top edge of the row: `from` at the edge, `to` in the middle. */
  readonly above: readonly Edge[];
  /** Lines that leave at the bottom edge: `from` in the middle, `to` at the edge. */
  readonly below: readonly Edge[];
}

/**
 * Lays commits out in lanes, one row each. The commits are given so that none comes after one of its parents. A lane waits for one
 * commit; the first parent goes on in the lane of its child, other parents get their own.
 */
export function layGraph(
  commits: readonly { readonly oid: string; readonly parents: readonly string[] }[],
): GraphRow[] {
  const lanes: (string | null)[] = [];
  return commits.map(({ oid, parents }) => {
    const waiting = lanes.flatMap((wanted, lane) => (wanted === oid ? [lane] : []));
    const lane = waiting[0] ?? freeLane(lanes);
    const above = lanes.flatMap((wanted, from) =>
      wanted === null ? [] : [{ from, to: wanted === oid ? lane : from }],
    );
    for (const one of waiting) lanes[one] = null;
    const passing = lanes.flatMap((wanted, one) => (wanted === null ? [] : [{ from: one, to: one }]));
    const leaving = [...new Set(parents)].map((parent, index) => {
      const known = lanes.indexOf(parent);
      const to = known >= 0 ? known : index === 0 ? lane : freeLane(lanes, lane);
      lanes[to] = parent;
      return { from: lane, to };
    });
    while (lanes.at(-1) === null) lanes.pop();
    return { lane, above, below: [...passing, ...leaving] };
  });
}

function freeLane(lanes: (string | null)[], besides = -1): number {
  const free = lanes.findIndex((wanted, lane) => wanted === null && lane !== besides);
  if (free >= 0) return free;
  return lanes.length === besides ? besides + 1 : lanes.length;
}
