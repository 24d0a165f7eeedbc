// Files of light curves, cut-outs and time-distance maps: arrays are written one by one while the series is measured.
import { wcsOfGrid } from '../../domain/measurement/cut-grid.ts';
import { statedLaw } from '../../domain/measurement/gate.ts';
import type { ByteLaw } from '../../domain/measurement/law.ts';
import { statedRotation, type Tracking } from '../../domain/measurement/tracking.ts';
import { type FigureName, roundedValue } from '../../domain/measurement/value.ts';
import { formatExact } from '../../domain/time.ts';
import * as fits from '../../imaging/encode/fits.ts';
import { layerLabel, layersTitle } from '../../picture/layers.ts';
import { concatenated } from '../../util/bytes.ts';
import { wcsCards } from './array-files.ts';
import type { CurveItem, CurveRequest, LightCurve } from './curves.ts';
import type { Cutout, CutoutRequest } from './cutouts.ts';
import type { OfLevels } from './image-laws.ts';
import type { OpenSeries, SeriesItem } from './image-series.ts';
import { regionText } from './regions.ts';
import type { PathRequest, TimeDistanceMap } from './time-distance.ts';

type ArrayItem = SeriesItem<Float32Array>;

/** The arrays of a series, one for each of its items. */
interface SeriesArrays extends OfLevels {
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
async function* npyFlow(arrays: SeriesArrays): AsyncGenerator<Uint8Array> {
  yield fits.npyHeader('<f4', allAxes(arrays).toReversed());
  for await (const item of arrays.series.items()) yield fits.littleEndian(valuesOf(item, lengthOf(arrays)));
}

/** A FITS file, with a table of the items, and others. */
async function* fitsFlow(
  arrays: SeriesArrays,
  cards: readonly fits.FitsCard[],
  tables: readonly Uint8Array[] = [],
): AsyncGenerator<Uint8Array> {
  const { series, count } = arrays;
  yield fits.arrayHeader(-32, allAxes(arrays), [{ keyword: 'EXTEND', value: true }, ...cards]);
  const items: Omit<ArrayItem, 'result'>[] = [];
  for await (const item of series.items()) {
    yield fits.bigEndian(valuesOf(item, lengthOf(arrays)));
    // Without its values, which are large.
    items.push({ ...item, result: null } as ArrayItem);
  }
  yield fits.dataPadding(count * lengthOf(arrays) * Float32Array.BYTES_PER_ELEMENT);
  yield itemTable(items as ArrayItem[], arrays);
  yield* tables;
}

function itemTable(items: readonly ArrayItem[], { isRaw, sources }: Pick<SeriesArrays, 'isRaw' | 'sources'>): Uint8Array {
  const lawOf = (item: ArrayItem) => {
    if (item.reason !== null) return null;
    const { confirmed } = item.member;
    return { unit: confirmed.law.unit, ...statedLaw(confirmed, isRaw) };
  };
  return fits.encodeTable('IMAGES', [
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

function seriesHistory(
  lines: readonly string[],
  { confirmed, isSynthetic }: LightCurve['first'],
  { isRaw, ...tracking }: OfLevels & Tracking,
): fits.FitsCard[] {
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

const FACTS = ['id', 'date', 'reason', 'count', 'censored', 'unit', 'status'] as const;
export const columnsOf = (names: readonly FigureName[]) => [
  ...FACTS,
  ...names.flatMap((name) => [name, `${name}Lower`, `${name}Upper`]),
];

export function rowOf(
  { atMs, image, reason, result, member }: CurveItem,
  { names, isRaw }: Pick<CurveRequest, 'names' | 'isRaw'>,
): Readonly<Record<string, string | number | null>> {
  const row: Record<string, string | number | null> = {
    id: image?.id ?? null,
    date: formatExact(atMs),
    reason,
    count: result?.count ?? null,
    censored: roundedValue(result?.censored),
    unit: member?.confirmed.law.unit ?? null,
    status: isRaw ? null : (member?.confirmed.status ?? null),
  };
  for (const name of names) {
    const figure = result?.figures[name];
    row[name] = roundedValue(figure?.value);
    row[`${name}Lower`] = roundedValue(figure?.lower);
    row[`${name}Upper`] = roundedValue(figure?.upper);
  }
  return row;
}

const AREA_UNIT = 'arcsec2';
/** Unit of a figure of values in a unit. */
export const unitOf = (name: FigureName, unit: string) => (name === 'area' ? AREA_UNIT : unit);

export function factsOf({ first, images, rows, grid }: LightCurve, request: CurveRequest) {
  const { sourceId, isRaw, threshold, names } = request;
  const { law, caveats } = first.confirmed;
  return {
    sourceId,
    images,
    rows,
    unit: law.unit,
    areaUnit: names.includes('area') ? AREA_UNIT : null,
    threshold,
    ...statedLaw(first.confirmed, isRaw),
    caveats,
    rotation: statedRotation(request),
    grid,
  };
}

/** A binary table with the columns of the rows. */
export function curveTable(curve: LightCurve, request: CurveRequest, items: readonly CurveItem[]): Uint8Array {
  const rows = items.map((item) => rowOf(item, request));
  const { unit } = curve.first.confirmed.law;
  const type = (name: string): fits.TableColumn['type'] => {
    if (name === 'id' || name === 'count') return 'whole';
    return ['date', 'reason', 'unit', 'status'].includes(name) ? 'text' : 'float';
  };
  const unitOfColumn = (name: string) => {
    const figure = request.names.find((each) => name.startsWith(each));
    return figure ? unitOf(figure, unit) : '';
  };
  const columns = columnsOf(request.names).map((name) => {
    return { name, type: type(name), unit: unitOfColumn(name), values: rows.map((row) => row[name] ?? null) };
  });
  const lines = [
    `Light curve of ${layerLabel(request)}, ${regionText(request.region)}.`,
    ...(request.threshold === null ? [] : [`The area is that above ${request.threshold} ${unit}.`]),
  ];
  return concatenated([fits.emptyPrimary(seriesHistory(lines, curve.first, request)), fits.encodeTable('LIGHTCURVE', columns)]);
}

const sourcesOf = ({ sourceId, others }: CutoutRequest) => [sourceId, ...others];

function arraysOf(cutout: Cutout, request: CutoutRequest): SeriesArrays {
  const { grid, slots } = cutout;
  const axes = [grid.width, grid.height];
  return { series: cutout, isRaw: request.isRaw, count: slots.length, axes, sources: sourcesOf(request) };
}

/** An array of shape (times, height, width), or (times, sources, height, width). */
export const cutoutNpy = (cutout: Cutout, request: CutoutRequest) => npyFlow(arraysOf(cutout, request));

function observerCards({ reference: { image, plane } }: Cutout): fits.FitsCard[] {
  const { b0Degrees, longitudeDegrees } = plane!.observer;
  return [
    { keyword: 'DATE-OBS', value: formatExact(image.takenAtMs).replace('Z', '') },
    { keyword: 'DSUN_OBS', value: image.geometry.dsunMetres },
    { keyword: 'HGLN_OBS', value: longitudeDegrees },
    { keyword: 'HGLT_OBS', value: b0Degrees },
  ];
}

/** A cube with a table of its images. */
export function cutoutFits(cutout: Cutout, request: CutoutRequest) {
  const sources = sourcesOf(request);
  const { first, grid } = cutout;
  const { width, height, scale, frame } = grid;
  const unit = frame === 'carrington' ? 'degrees' : 'arcsec';
  const lines = [
    `Cut-out of ${layersTitle(sources.map((sourceId) => ({ sourceId })))}: ${width} x ${height} cells of ${scale} ${unit}.`,
    ...(request.isRaw
      ? ['Levels are linear between pixels, and means over a cell that is larger than a pixel. NaN where there is no pixel.']
      : [
          'Values are linear between pixels that were inverted, and means over a cell that is larger than a pixel. NaN where more than half is',
          'beyond the scale, or there is no data.',
        ]),
    'The third axis is that of the images, of which the table IMAGES has the times.',
    ...(sources.length > 1
      ? ['The third axis is that of the sources, the fourth that of the times: the table has them in this order.']
      : []),
  ];
  const cards = [
    ...(sources.length === 1 ? [{ keyword: 'BUNIT', value: first.confirmed.law.unit }] : []),
    ...wcsCards(wcsOfGrid(grid)).filter(({ keyword }) => keyword !== 'WCSAXES'),
    ...observerCards(cutout),
    ...seriesHistory(lines, first, request),
  ];
  return fitsFlow(arraysOf(cutout, request), cards);
}

const inArcsec = (value: number) => Number(value.toFixed(3));

function arraysOfMap(map: TimeDistanceMap, { isRaw, sourceId }: PathRequest): SeriesArrays {
  return { series: map, isRaw, count: map.slots.length, axes: [map.positions.length], sources: [sourceId] };
}

export const mapRow = ({ atMs, image, reason, result }: ArrayItem, length: number) => ({
  id: image?.id ?? null,
  date: formatExact(atMs),
  reason,
  values: Array.from(result ?? new Float32Array(length).fill(Number.NaN), roundedValue),
});

export function mapFacts({ first, slots, step, positions }: TimeDistanceMap, request: PathRequest) {
  const { sourceId, isRaw, width } = request;
  const { law, caveats } = first.confirmed;
  return {
    sourceId,
    images: slots.filter(({ image }) => image !== null).length,
    rows: slots.length,
    unit: law.unit,
    ...statedLaw(first.confirmed, isRaw),
    caveats,
    rotation: statedRotation(request),
    step,
    width,
    path: positions.map(({ centre }) => [inArcsec(centre.x), inArcsec(centre.y)]),
  };
}

/** An array of shape (images, positions). */
export const mapNpy = (map: TimeDistanceMap, request: PathRequest) => npyFlow(arraysOfMap(map, request));

/** An image of positions and images, with tables of both. Only with a cadence is the second axis one of time. */
export function mapFits(map: TimeDistanceMap, request: PathRequest) {
  const { first, step, positions, slots } = map;
  const { cadenceSeconds, isRaw, width } = request;
  const axis = (i: number, [type, unit, value, delta]: readonly [string, string, number, number]): fits.FitsCard[] => [
    { keyword: `CTYPE${i}`, value: type },
    ...(unit ? [{ keyword: `CUNIT${i}`, value: unit }] : []),
    { keyword: `CRPIX${i}`, value: 1 },
    { keyword: `CRVAL${i}`, value },
    { keyword: `CDELT${i}`, value: delta },
  ];
  const lines = [
    `Time-distance map of ${layerLabel(request)} along ${positions.length} positions, each the mean over ${width} arcsec at right angles to the path.`,
    isRaw
      ? 'Levels are linear between pixels; NaN off the image.'
      : 'Values are linear between pixels that were inverted; NaN where more than half is beyond the scale or one is without data.',
    ...(cadenceSeconds === null ? ['The times of the second axis are in the table IMAGES.'] : []),
  ];
  const cards = [
    { keyword: 'BUNIT', value: first.confirmed.law.unit },
    ...axis(1, ['OFFSET', 'arcsec', 0, step]),
    ...axis(2, cadenceSeconds === null ? ['IMAGE', '', 1, 1] : ['TIME', 's', 0, cadenceSeconds]),
    { keyword: 'DATEREF', value: formatExact(cadenceSeconds === null ? slots[0]!.atMs : request.startMs).replace('Z', '') },
    ...seriesHistory(lines, first, request),
  ];
  const path = fits.encodeTable('PATH', [
    { name: 'offset', type: 'float', unit: 'arcsec', values: positions.map(({ offset }) => offset) },
    { name: 'x', type: 'float', unit: 'arcsec', values: positions.map(({ centre }) => centre.x) },
    { name: 'y', type: 'float', unit: 'arcsec', values: positions.map(({ centre }) => centre.y) },
  ]);
  return fitsFlow(arraysOfMap(map, request), cards, [path]);
}
