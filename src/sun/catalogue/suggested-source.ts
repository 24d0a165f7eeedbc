// The datasource that an unknown id or name probably means.
import { nearestWord } from '../../platform/util/nearest-word.ts';
import { type DataSource, levelName } from './datasource.ts';
import { allSources } from './sources.ts';

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
