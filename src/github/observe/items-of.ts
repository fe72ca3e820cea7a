/** All items of a list that comes page by page. */
export async function itemsOf<P, T>(pages: AsyncIterable<P>, items: (page: P) => readonly T[]): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(...items(page));
  return all;
}
