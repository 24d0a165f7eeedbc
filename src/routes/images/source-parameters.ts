// How a request names a datasource: by its id, or in v1 by the names of its levels as well.
import { REQUEST_LIMITS } from '../../config/limits/http.ts';
import { findSource, sourceByNames } from '../../domain/catalogue/sources.ts';
import { badParameter, Failure } from '../../domain/errors.ts';
import { integer, name } from '../../http/parameters.ts';

export const sourceId = () => integer('Datasource, as in getDataSources.', { min: 0, max: REQUEST_LIMITS.sourceId });

/** The parameters of v1 that name a source: its id, or the names of all its levels. */
export const namedSource = {
  sourceId: sourceId().optional(),
  observatory: name('Observatory, as SDO. With instrument, detector and measurement it stands for sourceId.').optional(),
  instrument: name('Instrument, as AIA.').optional(),
  detector: name('Detector, as AIA: where there is none, the instrument once more.').optional(),
  measurement: name('Measurement, as 171.').optional(),
};

interface NamedSource {
  readonly sourceId?: number | undefined;
  readonly observatory?: string | undefined;
  readonly instrument?: string | undefined;
  readonly detector?: string | undefined;
  readonly measurement?: string | undefined;
}

const SOURCE_NAMES = ['observatory', 'instrument', 'detector', 'measurement'] as const;

/** Ids that other services use for a source of ours become our own. Unknown ids stay: they are sources without images. */
function canonicalId(id: number): number {
  return findSource(id)?.id ?? id;
}

/**
 * The id of the source that a request names.
 * @throws Failure when it names none, or by names that no source has
 */
export function resolveSource(source: NamedSource): number {
  if (source.sourceId !== undefined) return canonicalId(source.sourceId);
  const names = SOURCE_NAMES.flatMap((level) => source[level] ?? []);
  if (names.length === 0) throw badParameter('sourceId', 'the id of a datasource', undefined);
  const found = sourceByNames(names);
  if (found) return found.id;
  const sentence = `Expected the names of a datasource for observatory, instrument, detector and measurement, got ${names.join(', ')}.`;
  throw new Failure('bad-parameter', sentence, { parameter: 'observatory' });
}
