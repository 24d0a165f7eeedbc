import { nearestWord } from '../../platform/util/nearest-word.ts';
import { type DataSource, type HeaderRule, levelName, type Predecessor, pathOf } from './datasource.ts';
import { PROBA2_SOURCES, SOLAR_ORBITER_SOURCES } from './missions/esa.ts';
import { GONG_SOURCES, MLSO_SOURCES } from './missions/ground.ts';
import { HINODE_SOURCES, YOHKOH_SOURCES } from './missions/jaxa.ts';
import { NOAA_SOURCES } from './missions/noaa.ts';
import { SDO_SOURCES } from './missions/sdo.ts';
import { IRIS_SOURCES, PUNCH_SOURCES, RHESSI_SOURCES, TRACE_SOURCES } from './missions/small-explorers.ts';
import { SOHO_SOURCES } from './missions/soho.ts';
import { STEREO_SOURCES } from './missions/stereo.ts';

/** Names that occur twice in a path without being a v1 repetition. */
const REPEATED_NAMES = ['any', 'gong'];

/** In the order in which their rules for headers are tried. PUNCH is last because its title alone is enough. */
const MISSIONS: readonly DataSource[] = [
  SDO_SOURCES,
  SOHO_SOURCES,
  STEREO_SOURCES,
  PROBA2_SOURCES,
  YOHKOH_SOURCES,
  HINODE_SOURCES,
  TRACE_SOURCES,
  MLSO_SOURCES,
  SOLAR_ORBITER_SOURCES,
  NOAA_SOURCES,
  IRIS_SOURCES,
  GONG_SOURCES,
  RHESSI_SOURCES,
  PUNCH_SOURCES,
].flat();

/** All datasources, groups among them, by ascending id. */
export const allSources: readonly DataSource[] = [...MISSIONS].sort((a, b) => a.id - b.id);

/** The rules by which headers name datasources, in the order of attempts. */
export const headerRules: readonly HeaderRule[] = [...new Set(MISSIONS.map((source) => source.headerLevels))];

export const imageSources: readonly DataSource[] = allSources.filter(({ members }) => members === undefined);

const byId = new Map(allSources.flatMap((source) => [source.id, source.aliasId ?? source.id].map((id) => [id, source] as const)));
const pathKey = (names: readonly string[]): string => names.join('\n').toLowerCase();
const byPath = new Map(allSources.map((source) => [pathKey(pathOf(source).map((level) => level.name)), source]));

/** The datasource with this id; an alias is resolved to its datasource. */
export const findSource = (id: number): DataSource | undefined => byId.get(id);

/** The sources of a group (10001-10013), ascending; empty for any other id. */
export const memberSources = (groupId: number): readonly number[] => byId.get(groupId)?.members ?? [];

/** The datasource with these names, in any case. In the v1 form, adjacent equal names are collapsed, except Any and GONG. */
export function sourceByNames(names: readonly string[]): DataSource | undefined {
  const exact = byPath.get(pathKey(names));
  if (exact) return exact;
  const collapsed = names.filter((name, i) => {
    const lower = name.toLowerCase();
    return lower !== names[i - 1]?.toLowerCase() || REPEATED_NAMES.includes(lower);
  });
  return byPath.get(pathKey(collapsed));
}

export const predecessorOf = (sourceId: number): Predecessor | null => findSource(sourceId)?.predecessor ?? null;

/** EIT for AIA and MDI for HMI at times before their first images; other sources are returned unchanged. */
export function predecessorAt(sourceId: number, atMs: number): number {
  const predecessor = predecessorOf(sourceId);
  return predecessor && atMs < predecessor.untilMs ? predecessor.sourceId : sourceId;
}

const PREFERRED = 'SDO';

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

const vocabulary = (source: DataSource): Set<string> =>
  new Set([...wordsOf(source.nickname), ...source.levels.flatMap(({ name }) => wordsOf(name))]);

const preferred = (sources: readonly DataSource[]): DataSource | undefined =>
  sources.find((source) => levelName(source, 'Observatory') === PREFERRED) ?? sources[0];

/** The source whose names contain every word of `text`, such as `AIA 171`: SDO first, then the smallest id; else the nearest nickname. */
export function suggestedSource(text: string): DataSource | undefined {
  const words = wordsOf(text);
  if (words.length === 0) return undefined;
  const containing = allSources.filter((source) => {
    const known = vocabulary(source);
    return words.every((word) => known.has(word));
  });
  if (containing.length > 0) return preferred(containing);
  const nickname = nearestWord(
    text,
    allSources.map((source) => source.nickname),
  );
  return allSources.find((source) => source.nickname === nickname);
}

/** The name and id of a source in a sentence, as `AIA 171, sourceId 10`. */
export const sourceInSentence = ({ nickname, id }: DataSource): string => `${nickname}, sourceId ${id}`;
