// What a request without a parameter probably means: the failure names it.
import { sourceByNames, sourceInSentence, suggestedSource } from '../../sun/catalogue/sources.ts';
import { didYouMean, Failure, type Suggestion, shown } from '../util/errors.ts';
import { countedValue, misspelledParameters, type ParameterShape, type RawParameters } from './parameters.ts';

/** Names that other interfaces have for one thing. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['startTime', 'date', 'time', 'datetime', 'obstime', 'start', 'startDate', 'from', 'begin'],
  ['endTime', 'end', 'stop', 'stopTime', 'endDate', 'until', 'to'],
  ['sourceId', 'source', 'dataSource', 'dataset', 'sources', 'layers'],
  ['id', 'imageId', 'movieId', 'screenshotId', 'image', 'movie'],
  ['imageScale', 'scale', 'resolution', 'cdelt'],
  ['queryString', 'url', 'query', 'longUrl', 'address'],
  ['layers', 'imageLayers', 'layer', 'sourceId', 'source'],
];
/** Parameters of v1, which name a source together, and the name of one in lists. */
const LEVELS = ['observatory', 'instrument', 'detector', 'measurement', 'nickname'] as const;

const textOf = (raw: RawParameters, name: string) => {
  const value = countedValue(raw.get(name) ?? []);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
};

/** The source that the names of its levels mean, as in v1. */
function namedSource(raw: RawParameters): (Suggestion & { readonly id: string }) | undefined {
  const names = LEVELS.flatMap((level) => textOf(raw, level) ?? []);
  const meant = names.length === 0 ? undefined : (sourceByNames(names) ?? suggestedSource(names.join(' ')));
  return meant && { value: sourceInSentence(meant), id: String(meant.id) };
}

/** A parameter that the request has under the name of another interface. */
function synonym(parameter: string, shape: ParameterShape, raw: RawParameters): string | undefined {
  const names = SYNONYMS.filter((group) => group.includes(parameter)).flatMap((group) => group.map((name) => name.toLowerCase()));
  return [...raw.keys()].find((given) => !Object.hasOwn(shape, given) && names.includes(given.toLowerCase()));
}

/** The failure of a request; of a missing parameter with what the request probably means by its other parameters. */
export function explained(error: unknown, shape: ParameterShape, raw: RawParameters): unknown {
  const isMissing = error instanceof Failure && error.kind === 'missing-parameter' && error.suggestion === undefined;
  if (!isMissing || error.parameter === undefined) return error;
  const { parameter, message } = error;
  const failure = (text: string, suggestion?: string) =>
    new Failure('missing-parameter', message + text, { parameter, suggestion });
  const source = parameter === 'sourceId' ? namedSource(raw) : undefined;
  if (source) return failure(didYouMean(source), source.id);
  const given =
    misspelledParameters(shape, raw).find(({ meant }) => meant === parameter)?.given ?? synonym(parameter, shape, raw);
  if (given !== undefined) return failure(didYouMean({ value: parameter, gloss: `${shown(given)} is unknown` }), parameter);
  const isJson = [...raw.keys()].some((name) => /^\s*\{/.test(name));
  return isJson ? failure(' JSON is taken in the body of a POST with the Content-Type application/json.') : error;
}
