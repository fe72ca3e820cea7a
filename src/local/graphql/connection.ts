import { queryError } from './caller.ts';

export interface ConnectionArgs {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly after?: string | null;
  readonly before?: string | null;
}

const cursorOf = (index: number): string => Buffer.from(`cursor:${index}`).toString('base64');
const indexOf = (cursor: string): number => Number(Buffer.from(cursor, 'base64').toString('utf8').slice(7));

/** A connection over a list: GitHub's bounds (one of first, last; at most 100) and cursors. */
export function connection<T, N>(
  name: string,
  all: readonly T[],
  args: ConnectionArgs,
  node: (item: T) => N,
) {
  const size = boundOf(name, args);
  let from = args.after ? indexOf(args.after) + 1 : 0;
  let to = args.before ? Math.min(all.length, indexOf(args.before)) : all.length;
  if (args.first != null) to = Math.min(to, from + size);
  else from = Math.max(from, to - size);
  const nodes = all.slice(from, to).map(node);
  return {
    totalCount: all.length,
    filteredCount: all.length,
    nodes,
    edges: nodes.map((one, offset) => ({ cursor: cursorOf(from + offset), node: one })),
    pageInfo: {
      hasNextPage: to < all.length,
      hasPreviousPage: from > 0,
      startCursor: nodes.length > 0 ? cursorOf(from) : null,
      endCursor: nodes.length > 0 ? cursorOf(from + nodes.length - 1) : null,
    },
  };
}

function boundOf(name: string, args: ConnectionArgs): number {
  const size = args.first ?? args.last;
  if (size == null)
    throw queryError(
      'MISSING_PAGINATION_BOUNDARIES',
      `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`,
    );
  const which = args.first != null ? 'first' : 'last';
  if (size > 100 || size < 0)
    throw queryError(
      'EXCESSIVE_PAGINATION',
      `Requesting ${size} records on the \`${name}\` connection exceeds the \`${which}\` limit of 100 records.`,
    );
  return size;
}
