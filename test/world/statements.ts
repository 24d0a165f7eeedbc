// What must always hold, each once in words, with the number of times that it was checked. docs/security.md and docs/operate.md quote them.
export const STATEMENTS = {
  served: 'An upload that was answered with success is served with its bytes until it is replaced or withdrawn.',
  indexed:
    'A file that was put into the bucket is found and served an hour later, or once it has been indexed where the platform lost its notice.',
  mirrored: 'A file of the mirrored archive is found and served with its bytes two hours after the last fault.',
  announced:
    'An image that was added after a webhook was registered is announced to it at least once, or its message stands in the dead letters.',
  ends: 'A movie that was accepted ends finished, or invalid with a reason.',
  frames: 'A finished movie has each of its frames once and in order, in all of its files.',
  shared: 'A movie that was shared is published once and whole, or its share says why not.',
  meaning: 'An id never shows two contents.',
  gone: 'A withdrawn or replaced image is gone from every picture, file and cache five minutes after the answer, and an hour after a request that broke off; finished movies keep it.',
  cached: 'Two hours after the last change a response of the edge cache is the one that the service gives without it.',
  alone: 'What others do changes no response about an image that stays.',
  whole: 'No response has half of a file.',
  streamed: 'A client of JPIP gets every byte of its window, whatever the service forgets between two requests of its session.',
  honest: 'An error says what is wrong, is no 5xx but 503 with Retry-After, and has no text of the platform.',
  quiet: 'An hour after the last fault no message waits, no lease is held and no job is late.',
  owned: 'An hour after the last fault no row, object, upload or entry of the journal is left that nothing owns.',
  share: 'A client has no more movies built in an hour than its share, however many it requests at once.',
  bounded: 'No invocation makes more calls and statements than are stated for its kind.',
} as const;

export type StatementName = keyof typeof STATEMENTS;

/** A statement that did not hold. */
export class Broken extends Error {
  readonly statement: StatementName;

  constructor(statement: StatementName, detail: string) {
    super(`${STATEMENTS[statement]} But ${detail}`);
    this.statement = statement;
  }
}

/** Checks of one history. The first statement that does not hold ends it. */
export class Checks {
  readonly counts = new Map<StatementName, number>();
  broken: Broken | null = null;

  expect(statement: StatementName, holds: boolean, detail: () => string): void {
    this.counts.set(statement, (this.counts.get(statement) ?? 0) + 1);
    if (!holds) this.broken ??= new Broken(statement, detail());
  }
}
