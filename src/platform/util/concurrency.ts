/** Results of `work` in the order of the items, at most `ahead` of its reader; nothing is begun once the reader stops. */
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

/** Results of `work` in the order of the items, which begin in that order, at most `atOnce` at a time. The first failure rejects. */
export async function mapConcurrently<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const queue = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const results: Result[] = [];
  let begun = 0;
  const run = async () => {
    for (let next = await queue.next(); !next.done; next = await queue.next()) {
      const place = begun++;
      results[place] = await work(next.value);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, run));
  return results;
}

/** The items until `ended` aborts, also while the next one is awaited. */
export async function* until<Item>(items: Iterable<Item> | AsyncIterable<Item>, ended: AbortSignal): AsyncGenerator<Item> {
  const queue = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const aborted = new Promise<null>((resolve) => ended.addEventListener('abort', () => resolve(null), { once: true }));
  while (!ended.aborted) {
    const next = await Promise.race([queue.next(), aborted]);
    if (next === null || next.done) return;
    yield next.value;
  }
}

/** The items in pages of so many. */
export async function* inPages<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let page: Item[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < size) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** The first item of a generator, which is taken already, the others, and what it returns at its end. */
export async function* withFirst<Item>(first: Item, rest: AsyncGenerator<Item, Item | undefined>): AsyncGenerator<Item> {
  yield first;
  const last = yield* rest;
  if (last !== undefined) yield last;
}
