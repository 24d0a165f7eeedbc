// The datasources by id and by name, and their predecessors.
import { type DataSource, pathOf } from './datasource.ts';
import { FAMILIES } from './families.ts';
import { membersOf } from './family.ts';
import { IRREGULAR } from './irregular.ts';
import { XRT_GROUPS, XRT_PAIRS } from './xrt.ts';

/** Ids of SUVI in the public service, which scripts use: 2000 stands for 88 and so on. */
const SUVI_ALIAS = { first: 2000, last: 2005, canonicalFirst: 88 };

/** Names that occur twice in a path without being a v1 repetition. */
const REPEATED_NAMES = ['any', 'gong'];

/** All datasources, XRT groups among them, by ascending id. */
export const allSources: readonly DataSource[] = [...FAMILIES.flatMap(membersOf), ...IRREGULAR, ...XRT_PAIRS, ...XRT_GROUPS].sort(
  (a, b) => a.id - b.id,
);

const byId = new Map(allSources.map((source) => [source.id, source]));
const byPath = new Map(allSources.map((source) => [pathKey(pathOf(source).map((level) => level.name)), source]));

function pathKey(names: readonly string[]): string {
  return names.map((name) => name.toLowerCase()).join('\n');
}

/** The datasource with this id; an alias is resolved to its datasource. */
export function findSource(id: number): DataSource | undefined {
  const isAlias = id >= SUVI_ALIAS.first && id <= SUVI_ALIAS.last;
  return byId.get(isAlias ? id - SUVI_ALIAS.first + SUVI_ALIAS.canonicalFirst : id);
}

/**
 * The datasource with these names from observatory to measurement, case-insensitive. Also accepts the v1 form, where a
 * missing detector repeats the instrument: adjacent equal names are collapsed, except Any and GONG.
 */
export function sourceByNames(names: readonly string[]): DataSource | undefined {
  const exact = byPath.get(pathKey(names));
  if (exact) return exact;
  const collapsed = names.filter((name, i) => {
    const lower = name.toLowerCase();
    return lower !== names[i - 1]?.toLowerCase() || REPEATED_NAMES.includes(lower);
  });
  return byPath.get(pathKey(collapsed));
}

/** The source that replaces another one under `switchSources`, at times before `untilMs`. */
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

/** EIT for AIA and MDI for HMI at times before their first images; other sources are returned unchanged. */
export function predecessorAt(sourceId: number, atMs: number): number {
  const predecessor = predecessorOf(sourceId);
  return predecessor && atMs < predecessor.untilMs ? predecessor.sourceId : sourceId;
}
