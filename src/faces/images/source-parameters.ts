// Parameters that name a datasource: its id or, in v1, the names of its levels.
import { integer, integerList, name, type Values } from '../../platform/http/parameters.ts';
import { REQUEST_LIMITS } from '../../platform/limits/http.ts';
import { badParameter, didYouMean, Failure } from '../../platform/util/errors.ts';
import { findSource, memberSources, sourceByNames, sourceInSentence, suggestedSource } from '../../sun/catalogue/sources.ts';

/** For operations that take the nearest image of a datasource. */
export const NO_IMAGE = { 404: 'The datasource does not exist, or has no images.' } as const;

export const sourceId = () =>
  integer('Datasource, as in getDataSources.', { min: 0, max: REQUEST_LIMITS.sourceId }, (text) => {
    const meant = /[a-z]{2}/i.test(text) ? suggestedSource(text) : undefined;
    return meant && { value: String(meant.id), gloss: meant.nickname };
  });

export const sourceList = (description: string) =>
  integerList(description, { min: 0, max: REQUEST_LIMITS.sourceId, maxItems: REQUEST_LIMITS.sourcesPerRequest });

/** In v1: its id, or the names of all its levels. */
export const namedSource = {
  sourceId: sourceId().optional(),
  observatory: name('Observatory, as SDO. With instrument, detector and measurement, an alternative to sourceId.').optional(),
  instrument: name('Instrument, as AIA.').optional(),
  detector: name('Detector, as AIA; the instrument again for instruments without one.').optional(),
  measurement: name('Measurement, as 171.').optional(),
};

const SOURCE_NAMES = ['observatory', 'instrument', 'detector', 'measurement'] as const;

type NamedSource = Values<typeof namedSource>;

/** Resolves an alias to the id of its datasource. Unknown ids are kept: they name sources without images. */
export const canonicalId = (id: number): number => findSource(id)?.id ?? id;

/** The id of a datasource with images of its own. @throws Failure `bad-parameter` for a group of datasources */
export function singleSource(id: number, parameter = 'sourceId'): number {
  const source = canonicalId(id);
  if (memberSources(source).length > 0) throw badParameter(parameter, 'a single datasource', `the group ${source}`);
  return source;
}

/** The id of the named source. @throws Failure when no source is named, or the names are unknown */
export function resolveSource(source: NamedSource): number {
  if (source.sourceId !== undefined) return canonicalId(source.sourceId);
  const names = SOURCE_NAMES.flatMap((level) => source[level] ?? []);
  if (names.length === 0) throw badParameter('sourceId', 'the id of a datasource', undefined);
  const found = sourceByNames(names);
  if (found) return found.id;
  const meant = suggestedSource(names.join(' '));
  const question = didYouMean(meant && { value: sourceInSentence(meant) });
  const sentence = `Expected a known datasource for observatory, instrument, detector and measurement, got ${names.join(', ')}.${question}`;
  throw new Failure('bad-parameter', sentence, { parameter: 'observatory', suggestion: meant && String(meant.id) });
}
