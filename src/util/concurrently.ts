/** Runs `work` on every item, at most `atOnce` at a time, in order of their start. The first failure rejects. */
export async function mapConcurrently<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const run = async () => {
    for (let next = await queue.next(); !next.done; next = await queue.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, run));
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
