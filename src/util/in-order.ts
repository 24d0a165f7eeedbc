/**
 * The results of `work` in the order of the items, which is at most `ahead` items further than its reader. Nothing more is begun when the
 * reader stops.
 */
export async function* inOrder<Item, Result>(
  items: readonly Item[],
  ahead: number,
  work: (item: Item, index: number) => Promise<Result>,
): AsyncGenerator<Result> {
  const begun: Promise<Result>[] = [];
  for (let next = 0; next < items.length || begun.length > 0; ) {
    for (; next < items.length && begun.length < ahead; next++) {
      const result = work(items[next]!, next);
      // The reader sees a failure in its turn, or has stopped.
      result.catch(() => undefined);
      begun.push(result);
    }
    yield await begun.shift()!;
  }
}
