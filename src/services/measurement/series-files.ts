// Files of the arrays of a series, written array by array while the series is measured.
import { statedLaw } from '../../domain/measurement/gate.ts';
import type { ByteLaw } from '../../domain/measurement/law.ts';
import { statedRotation, type Tracking } from '../../domain/measurement/tracking.ts';
import { formatExact } from '../../domain/time.ts';
import {
  arrayHeader,
  bigEndian,
  dataPadding,
  encodeTable,
  type FitsCard,
  littleEndian,
  npyHeader,
} from '../../imaging/encode/fits.ts';
import type { LightCurve } from './curves.ts';
import type { OfLevels } from './image-laws.ts';
import type { OpenSeries, SeriesItem } from './image-series.ts';

export type ArrayItem = SeriesItem<Float32Array>;

/** The arrays of a series, one for each of its items. */
export interface SeriesArrays extends OfLevels {
  readonly series: Pick<OpenSeries<Float32Array>, 'items'>;
  /** Items of the series. */
  readonly count: number;
  /** Axes of an array, the fastest first. */
  readonly axes: readonly number[];
  /** Sources of the items in turn. */
  readonly sources: readonly number[];
}

/** The axes of all arrays, the fastest first: that of the sources, if there are several, comes before that of the times. */
function allAxes({ axes, count, sources }: SeriesArrays): number[] {
  return sources.length === 1 ? [...axes, count] : [...axes, sources.length, count / sources.length];
}

const lengthOf = ({ axes }: SeriesArrays) => axes.reduce((product, length) => product * length, 1);

/** The values of an item; not a number where it has none. */
const valuesOf = ({ result }: ArrayItem, length: number) => result ?? new Float32Array(length).fill(Number.NaN);

/** An NPY file; the axes of the items come first. */
export async function* npyFlow(arrays: SeriesArrays): AsyncGenerator<Uint8Array> {
  yield npyHeader('<f4', allAxes(arrays).toReversed());
  for await (const item of arrays.series.items()) yield littleEndian(valuesOf(item, lengthOf(arrays)));
}

/** A FITS file, with a table of the items, and others. */
export async function* fitsFlow(
  arrays: SeriesArrays,
  cards: readonly FitsCard[],
  tables: readonly Uint8Array[] = [],
): AsyncGenerator<Uint8Array> {
  const { series, count } = arrays;
  yield arrayHeader(-32, allAxes(arrays), [{ keyword: 'EXTEND', value: true }, ...cards]);
  const items: Omit<ArrayItem, 'result'>[] = [];
  for await (const item of series.items()) {
    yield bigEndian(valuesOf(item, lengthOf(arrays)));
    // Without its values, which are large.
    items.push({ ...item, result: null } as ArrayItem);
  }
  yield dataPadding(count * lengthOf(arrays) * Float32Array.BYTES_PER_ELEMENT);
  yield itemTable(items as ArrayItem[], arrays);
  yield* tables;
}

function itemTable(items: readonly ArrayItem[], { isRaw, sources }: Pick<SeriesArrays, 'isRaw' | 'sources'>): Uint8Array {
  const lawOf = (item: ArrayItem) => {
    if (item.reason !== null) return null;
    const { confirmed } = item.member;
    return { unit: confirmed.law.unit, ...statedLaw(confirmed, isRaw) };
  };
  return encodeTable('IMAGES', [
    { name: 'id', type: 'whole', values: items.map(({ image }) => image?.id ?? null) },
    { name: 'date', type: 'text', values: items.map(({ atMs }) => formatExact(atMs)) },
    { name: 'source', type: 'whole', values: items.map((_, i) => sources[i % sources.length]!) },
    { name: 'reason', type: 'text', values: items.map(({ reason }) => reason) },
    { name: 'unit', type: 'text', values: items.map((item) => lawOf(item)?.unit ?? null) },
    { name: 'law', type: 'text', values: items.map((item) => lawOf(item)?.law ?? null) },
    { name: 'status', type: 'text', values: items.map((item) => lawOf(item)?.status ?? null) },
  ]);
}

const ASCII = [
  ['²', '^2'],
  ['⁴', '^4'],
  ['µ', 'micro'],
] as const;

/** HISTORY on what values of a series are. */
export function seriesHistory(
  lines: readonly string[],
  { confirmed, isSynthetic }: LightCurve['first'],
  { isRaw, ...tracking }: OfLevels & Tracking,
): FitsCard[] {
  const { law, status } = statedLaw(confirmed, isRaw);
  const rotation = statedRotation(tracking);
  const written = rotation && ASCII.reduce((text, [from, to]) => text.replaceAll(from, to), rotation);
  const history = [
    ...lines,
    ...(law === null ? [] : [`Law of the first image: ${law}, ${status}.`]),
    ...(written ? [`The places rotate with the Sun: ${written}.`] : []),
    ...(isSynthetic ? ['The images are synthetic.'] : []),
    ...confirmed.caveats,
  ];
  return history.map((value) => ({ keyword: 'HISTORY', value }));
}

/** Place of a value among colours: as among the bytes of the law, so that pictures look as usual. */
export function colourTransfer({ transfer }: ByteLaw): (value: number) => number {
  if (transfer.kind === 'linear') return (value) => value;
  if (transfer.kind === 'log') return (value) => Math.log(Math.max(value, Number.MIN_VALUE));
  return (value) => Math.max(0, value - transfer.offset) ** transfer.exponent;
}
