// Filters that show faint structures of the corona beside bright ones. Their arithmetic is in src/picture/filters/.
import { findSource } from '../../sun/catalogue/sources.ts';
import { groupedOperation } from './operation.ts';

/** Exponents of RHEF, upsilon, below and above the middle of the ranks; 1 leaves plain ranks. */
export interface Strengths {
  readonly low: number;
  readonly high: number;
}

export type Filter = ({ readonly name: 'rhef' } & Strengths) | { readonly name: 'nrgf' | 'mgn' };

/** Names of the filters, as they are written and as captions have them. */
export const FILTERS = { rhef: 'RHEF', nrgf: 'NRGF', mgn: 'MGN' } as const satisfies Readonly<Record<Filter['name'], string>>;

export const FILTER_NAMES = Object.keys(FILTERS) as Filter['name'][];

/** Upsilon of RHEF: least and most, and that of the paper. */
const UPSILON = { least: 0.05, most: 4, byDefault: 0.35 } as const;

const isUpsilon = (value: number) => value >= UPSILON.least && value <= UPSILON.most;

const isFilter = (name: string): name is Filter['name'] => Object.hasOwn(FILTERS, name);

/** A filter by its name alone. */
export const filterNamed = (name: Filter['name']): Filter =>
  name === 'rhef' ? { name, low: UPSILON.byDefault, high: UPSILON.byDefault } : { name };

/** Undefined for none, null for what is no filter. */
function filterIn(elements: readonly string[]): Filter | null | undefined {
  const [name = '', strengths, ...more] = elements.join(',').toLowerCase().split(':');
  if (!isFilter(name) || more.length > 0) return null;
  if (strengths === undefined) return filterNamed(name);
  const [low = Number.NaN, high = low, ...rest] = strengths.split(',').map((text) => (text === '' ? Number.NaN : Number(text)));
  return name === 'rhef' && isUpsilon(low) && isUpsilon(high) && rest.length === 0 ? { name, low, high } : null;
}

/** `rhef`, `rhef:1` or `rhef:0.7,0.4`. */
function printed(filter: Filter): string {
  if (filter.name !== 'rhef') return filter.name;
  const { name, low, high } = filter;
  if (low === UPSILON.byDefault && high === low) return name;
  return `${name}:${high === low ? low : `${low},${high}`}`;
}

/** Expectation in the refusal of a magnetogram, whose levels are the strength of a field in two directions. */
export function refusalOfMagnetogram(sourceId: number): string | null {
  const source = findSource(sourceId);
  const isMagnetogram = source?.levels.some(({ name }) => name === 'magnetogram');
  return isMagnetogram ? `range instead, because ${source!.nickname} shows a magnetic field and no brightness,` : null;
}

/** Cost of a layer with MGN, which filters what lies around a picture too, in costs of one without. */
const MGN_COST = 5;

export const FILTER = groupedOperation({
  name: 'filter',
  all: 'filters',
  description: `Shows the levels by a filter: \`rhef\` by their ranks among those at the same distance from the Sun, bent by an upsilon from ${UPSILON.least} to ${UPSILON.most}, ${UPSILON.byDefault} unless \`rhef:1\` or, for low and high ranks, \`rhef:0.7,0.4\` states it; \`nrgf\` by their distance from the mean there in standard deviations; \`mgn\` by local contrasts of several sizes.`,
  what: `mgn, nrgf, rhef, or rhef:0.7,0.4 with numbers from ${UPSILON.least} to ${UPSILON.most},`,
  example: 'rhef',
  words: FILTER_NAMES,
  enhances: true,
  hasTables: ({ name }) => name !== 'mgn',
  cost: ({ name }) => (name === 'mgn' ? MGN_COST : 1),
  parse: filterIn,
  print: (filter: Filter) => [printed(filter)],
  refusal: (_, sourceId) => refusalOfMagnetogram(sourceId),
  title: ({ name }) => ` ${FILTERS[name]}`,
});

const STEADY_WORDS = ['true', 'false'];

/** A steady brightness of the images of a layer. */
export const STEADY = groupedOperation({
  name: 'steady',
  all: 'steady',
  description: 'Whether the median of the disc has the same level in every image: `true` for steady.',
  what: 'true or false',
  example: 'true',
  words: STEADY_WORDS,
  enhances: true,
  hasTables: () => true,
  parse: (elements) => (elements.join() === 'true' ? true : elements.join() === 'false' ? undefined : null),
  print: () => ['true'],
  refusal: (_: true, sourceId) => refusalOfMagnetogram(sourceId),
  title: () => ' steady',
});
