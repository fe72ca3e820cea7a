/**
 * Members of dependency cycles: every node that can reach itself. Edges to nodes outside the map end there.
 * Depth-first search with an explicit stack, so that a long chain cannot exhaust the call stack.
 */
export function findCycleMembers(edges: ReadonlyMap<number, readonly number[]>): ReadonlySet<number> {
  const members = new Set<number>();
  for (const start of edges.keys()) {
    if (reaches(edges, start, start)) members.add(start);
  }
  return members;
}

function reaches(edges: ReadonlyMap<number, readonly number[]>, from: number, goal: number): boolean {
  const seen = new Set<number>();
  const stack = [...(edges.get(from) ?? [])];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node === goal) return true;
    if (seen.has(node)) continue;
    seen.add(node);
    stack.push(...(edges.get(node) ?? []));
  }
  return false;
}
