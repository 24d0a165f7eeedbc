// Every datasource, by id and by name.
import { type DataSource, pathOf } from './datasource.ts';
import { FAMILIES } from './families.ts';
import { membersOf } from './family.ts';
import { IRREGULAR } from './irregular.ts';
import { XRT_GROUPS, XRT_PAIRS } from './xrt.ts';

/** SUVI's ids in the public service, which scripts use: 2000 is 88, and so on. */
const SUVI_ALIAS = { first: 2000, last: 2005, canonicalFirst: 88 };

/** Names that a path of its own right has twice. */
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

/** The datasource with this id. An alias gives the source that it stands for, with that source's own id. */
export function findSource(id: number): DataSource | undefined {
  const isAlias = id >= SUVI_ALIAS.first && id <= SUVI_ALIAS.last;
  return byId.get(isAlias ? id - SUVI_ALIAS.first + SUVI_ALIAS.canonicalFirst : id);
}

/**
 * The datasource with these names from observatory to measurement, in any case. Besides the names of its path, the form
 * of v1 is understood, where a missing detector repeats the instrument: equal neighbours count once, but for Any and GONG.
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
