// `switchSources`: before the first images of SDO, the sources of SOHO that came before stand in.

/** The source that stands in for another one, at times before `untilMs`. */
export interface Predecessor {
  readonly sourceId: number;
  readonly untilMs: number;
}

const PREDECESSORS: ReadonlyMap<number, Predecessor> = new Map([
  [13, { sourceId: 3, untilMs: Date.UTC(2010, 5, 2, 0, 5, 39) }],
  [10, { sourceId: 0, untilMs: Date.UTC(2010, 5, 2, 0, 5, 36) }],
  [11, { sourceId: 1, untilMs: Date.UTC(2010, 5, 2, 0, 5, 31) }],
  [18, { sourceId: 7, untilMs: Date.UTC(2010, 11, 6, 6, 53, 41) }],
  [19, { sourceId: 6, untilMs: Date.UTC(2010, 11, 6, 6, 53, 41) }],
]);

export function predecessorOf(sourceId: number): Predecessor | null {
  return PREDECESSORS.get(sourceId) ?? null;
}

/** EIT for AIA and MDI for HMI at times before their first images; any other source is its own. */
export function predecessorAt(sourceId: number, atMs: number): number {
  const predecessor = predecessorOf(sourceId);
  return predecessor && atMs < predecessor.untilMs ? predecessor.sourceId : sourceId;
}
