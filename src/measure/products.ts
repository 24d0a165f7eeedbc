// What is measured as products: tables and arrays, which are written while the series is measured, and what their files say of themselves.
// Cards of FITS: unit, coordinates and history, and of an array of an image the cards of the original.
import type { ArrayFormat, ArrayProduct, FitsCard } from '../picture/encode/fits.ts';
import { arrayFile, emptyPrimary, encodeTable } from '../picture/encode/fits.ts';
import type { Column, Table, TableRow } from '../picture/encode/table.ts';
import { layerLabel, layersTitle } from '../picture/layers.ts';
import { GRIDS } from '../platform/limits/grids.ts';
import { concatenated } from '../platform/util/bytes.ts';
import { inPages } from '../platform/util/concurrency.ts';
import type { ArchivedImage } from '../sun/image.ts';
import { statedLaw } from '../sun/laws/gate.ts';
import type { ByteLaw } from '../sun/laws/law.ts';
import { type FigureName, roundedValue } from '../sun/laws/value.ts';
import { provenanceText, type UsedImage } from '../sun/provenance.ts';
import { formatExact } from '../sun/time.ts';
import { typedValues, type Wcs } from '../sun/wcs.ts';
import { type Cutout, type CutoutRequest, wcsOfGrid } from './cutouts.ts';
import type { ImageArray } from './image-arrays.ts';
import type { OfLevels } from './image-laws.ts';
import type { OpenSeries, SeriesItem, SeriesRequest } from './image-series.ts';
import type { CurveItem, CurveRequest, LightCurve } from './light-curves.ts';
import { regionText, statedRotation, type Tracking } from './regions.ts';
import type { PathRequest, TimeDistanceMap } from './time-distance.ts';

/** Keywords of the original that describe its array: structure, compression, scaling, extremes and coordinates. The file has its own. */
const OF_THE_ORIGINAL_ARRAY = new RegExp(
  `^(${[
    'SIMPLE|XTENSION|BITPIX|NAXIS\\d*|EXTEND|PCOUNT|GCOUNT|GROUPS|END|EXTNAME|INHERIT|CHECKSUM|DATASUM|CONTINUE|LONGSTRN',
    'BSCALE|BZERO|BLANK|BUNIT|DATAMIN|DATAMAX|TFIELDS|T(TYPE|FORM|UNIT|DIM|NULL)\\d+|THEAP|Z(NAXIS|TILE|NAME|VAL)\\d+',
    'Z(IMAGE|CMPTYPE|BITPIX|NAXIS|PCOUNT|GCOUNT|TENSION|SIMPLE|HECKSUM|DATASUM|QUANTIZ|DITHER0|BLANK|SCALE|ZERO)',
    // Keywords of other systems of coordinates end in a letter.
    '(WCSAXES|WCSNAME|C(TYPE|UNIT|RPIX|DELT|RVAL|ROTA)\\d*|(PC|PV|CD)\\d_\\d+|LONPOLE|LATPOLE)[A-Z]?',
  ].join('|')})$`,
);

const shown = (value: number) => String(Number(value.toPrecision(6)));

/** The forward law in words and formulas. */
export function lawText({ name, transfer, grid, lo, hi, unit }: ByteLaw): string {
  const { quantity, of } =
    transfer.kind === 'linear'
      ? { quantity: 'v', of: 'of v' }
      : transfer.kind === 'log'
        ? { quantity: 'log v', of: 'of v' }
        : {
            quantity: `((v - ${shown(transfer.offset)}) / ${shown(transfer.scale)})^${shown(transfer.exponent)}`,
            of: transfer.ofRoot ? 'of f' : 'of v',
          };
  const bytes = {
    truncated: 'byte = floor(255.9999 t)',
    rounded: 'byte = round(255 t)',
    stretched:
      grid.kind === 'stretched' ? `s = floor(255.9999 t), byte = floor(1 + 254 (s - ${grid.s0}) / (${grid.s1 - grid.s0}))` : '',
  }[grid.kind];
  const position = 't = (f - f(lo)) / (f(hi) - f(lo))';
  return `Law ${name}: f = ${quantity}, ${position}, ${bytes}, lo = ${shown(lo)}, hi = ${shown(hi)} ${of}, v in ${unit}.`;
}

export function historyOf({ confirmed, grid, pixels }: ImageArray): string[] {
  const { factor, left, below } = grid;
  const blocks =
    factor === 1
      ? []
      : [`Each is the mean of ${factor} x ${factor} pixels${confirmed ? ', taken after they were inverted' : ''}.`];
  const place = `The lower left pixel is ${left + 1}, ${below + 1} of the image.`;
  if (!confirmed) return ['Bytes of a JPEG 2000 image, no physical values.', ...blocks, place];
  const { law, status, lossy, figures, caveats } = confirmed;
  const noNumber = factor === 1 ? 'NaN' : 'NaN, as the mean of each block with such a pixel';
  return [
    `Values inverted from the bytes of a JPEG 2000 image by a law that is ${status}.`,
    lawText(law),
    ...figures.map(({ gate, stated, found }) => `Gate ${gate}: ${shown(stated)} by the header, ${shown(found)} by the pixels.`),
    ...(lossy
      ? [`The compression changes 95 % of the pixels by at most ${lossy.pixel} levels.`]
      : ['The compression is lossless.']),
    `Pixels of the region: ${pixels.measured} with a value, ${pixels.below} below and ${pixels.above} above the scale, ` +
      `${pixels.noData} without data. All but the first are ${noNumber}.`,
    ...blocks,
    place,
    ...caveats,
  ];
}

export function wcsCards({ ctype, cunit, crpix, cdelt, crval, pc, pv = [], lonpole, latpole }: Wcs): FitsCard[] {
  const axes = [0, 1] as const;
  return [
    { keyword: 'WCSAXES', value: 2 },
    ...axes.flatMap((axis) => [
      { keyword: `CTYPE${axis + 1}`, value: ctype[axis] },
      { keyword: `CUNIT${axis + 1}`, value: cunit[axis] },
      { keyword: `CRPIX${axis + 1}`, value: crpix[axis] },
      { keyword: `CDELT${axis + 1}`, value: cdelt[axis] },
      { keyword: `CRVAL${axis + 1}`, value: crval[axis] },
      ...axes.map((other) => ({ keyword: `PC${axis + 1}_${other + 1}`, value: pc[axis][other] })),
    ]),
    ...pv.map((value, m) => ({ keyword: `PV2_${m}`, value })),
    { keyword: 'LONPOLE', value: lonpole },
    { keyword: 'LATPOLE', value: latpole },
  ];
}

/** The array of an image as a product. */
export function arrayOfImage(image: ArchivedImage, array: ImageArray): ArrayProduct {
  const { header, wcs, confirmed, width, height, samples } = array;
  const dated = wcs?.dateObs && !header.fits.has('DATE-OBS') ? [{ keyword: 'DATE-OBS', value: wcs.dateObs }] : [];
  const original = Object.entries(typedValues(header.fits))
    .filter(([keyword]) => !OF_THE_ORIGINAL_ARRAY.test(keyword))
    .map(([keyword, value]) => ({ keyword, value }));
  const isCommentary = ({ keyword }: FitsCard) => keyword === 'HISTORY' || keyword === 'COMMENT';
  const cards = [
    ...(confirmed ? [{ keyword: 'BUNIT', value: confirmed.law.unit }] : []),
    ...(wcs ? wcsCards(wcs) : []),
    ...dated,
    ...original.filter((card) => !isCommentary(card)),
    ...original.filter(isCommentary),
    ...[`Image ${image.id}, ${image.fileName}.`, ...historyOf(array)].map((value) => ({ keyword: 'HISTORY', value })),
  ];
  return { axes: [width, height], isOfBytes: samples instanceof Uint8Array, cards, pieces: () => [samples] };
}

/** What a file says of itself: the address of the request, without its host, and the images in it. */
interface Origin {
  readonly address: () => string;
  readonly items: readonly { readonly image: UsedImage | null }[];
}

export const textOf = ({ address, items }: Origin) =>
  provenanceText(
    address(),
    items.flatMap(({ image }) => image ?? []),
  );

/** The file of an array in pieces, and of FITS what it says of itself. */
export async function* fileOf(format: ArrayFormat, array: ArrayProduct, origin: Origin): AsyncGenerator<Uint8Array> {
  yield* arrayFile(format, array, format === 'fits' ? await textOf(origin) : '');
}

export const wholeFileOf = async (...file: Parameters<typeof fileOf>): Promise<Uint8Array> =>
  concatenated(await Array.fromAsync(fileOf(...file)));

type ArrayItem = SeriesItem<Float32Array>;

/** The arrays of a series, one for each of its items. */
interface SeriesArrays extends Pick<ArrayProduct, 'axes' | 'cards'>, OfLevels {
  readonly series: OpenSeries<Float32Array>;
  /** Sources of the items in turn. Their axis, if there are several, comes before that of the times. */
  readonly sources: readonly number[];
  /** Tables after that of the items. */
  readonly tables?: readonly Uint8Array[];
}

/** The arrays as one, NaN for an item without values, with a table of the items. */
function seriesArray({ series, axes, sources, cards, tables = [], isRaw }: SeriesArrays): ArrayProduct {
  const length = axes.reduce((product, each) => product * each, 1);
  const items: Omit<ArrayItem, 'result'>[] = [];
  return {
    axes: [...axes, ...(sources.length === 1 ? [] : [sources.length]), series.slots.length / sources.length],
    cards: [{ keyword: 'EXTEND', value: true }, ...cards],
    async *pieces() {
      for await (const item of series.items()) {
        yield item.result ?? new Float32Array(length).fill(Number.NaN);
        // Without its values, which are large.
        items.push({ ...item, result: null } as ArrayItem);
      }
    },
    tables: () => [itemTable(items as ArrayItem[], sources, isRaw), ...tables],
  };
}

const IMAGE_COLUMNS: readonly Column[] = [
  { name: 'id', type: 'whole' },
  { name: 'date', type: 'time' },
  { name: 'source', type: 'whole' },
  ...['reason', 'unit', 'law', 'status'].map((name) => ({ name })),
];

function itemTable(items: readonly ArrayItem[], sources: readonly number[], isRaw: boolean): Uint8Array {
  const rows = items.map((item, i): TableRow => {
    const { image, atMs, reason } = item;
    const confirmed = reason === null ? item.member.confirmed : null;
    const stated = confirmed ? { unit: confirmed.law.unit, ...statedLaw(confirmed, isRaw) } : {};
    return { id: image?.id ?? null, date: formatExact(atMs), source: sources[i % sources.length]!, reason, ...stated };
  });
  return encodeTable('IMAGES', IMAGE_COLUMNS, rows);
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

const AREA_UNIT = 'arcsec2';
/** Unit of a figure of values in a unit. */
export const unitOf = (name: FigureName, unit: string) => (name === 'area' ? AREA_UNIT : unit);

/** Facts of a series before its rows. @param own Those of a kind of series, behind the unit */
function seriesFacts(
  { first, images, rows }: Pick<LightCurve, 'first' | 'images' | 'rows'>,
  request: SeriesRequest & OfLevels & Tracking,
  own: Readonly<Record<string, unknown>> = {},
) {
  const { law, caveats } = first.confirmed;
  const { sourceId, isRaw } = request;
  const stated = { ...statedLaw(first.confirmed, isRaw), caveats, rotation: statedRotation(request) };
  return { sourceId, images, rows, unit: law.unit, ...own, ...stated };
}

/** The columns of a curve: its unit is that of the first image. */
function columnsOf({ first }: LightCurve, { names }: CurveRequest): Column[] {
  const figures = names.flatMap((figure) => {
    const unit = unitOf(figure, first.confirmed.law.unit);
    return [figure, `${figure}Lower`, `${figure}Upper`].map((name) => ({ name, type: 'float', unit }) as const);
  });
  return [
    { name: 'id', type: 'whole' },
    { name: 'date', type: 'time' },
    { name: 'reason' },
    { name: 'count', type: 'whole' },
    { name: 'censored', type: 'float' },
    { name: 'unit' },
    { name: 'status' },
    ...figures,
  ];
}

function rowOf({ atMs, image, reason, result, member }: CurveItem, { names, isRaw }: CurveRequest): TableRow {
  const figures = names.flatMap((name) => {
    const { value, lower, upper } = result?.figures[name] ?? {};
    return [
      [name, roundedValue(value)],
      [`${name}Lower`, roundedValue(lower)],
      [`${name}Upper`, roundedValue(upper)],
    ] as const;
  });
  return {
    id: image?.id ?? null,
    date: formatExact(atMs),
    reason,
    count: result?.count ?? null,
    censored: roundedValue(result?.censored),
    unit: member?.confirmed.law.unit ?? null,
    status: isRaw ? null : (member?.confirmed.status ?? null),
    ...Object.fromEntries(figures),
  };
}

/** A light curve as a table; of grids, whose rows are known, in larger pages. */
export const tableOfCurve = (curve: LightCurve, request: CurveRequest): Table => ({
  name: 'curve',
  columns: columnsOf(curve, request),
  facts: {
    ...seriesFacts(curve, request, { areaUnit: request.names.includes('area') ? AREA_UNIT : null, threshold: request.threshold }),
    grid: curve.grid,
  },
  pages: async function* () {
    const size = curve.grid ? GRIDS.pageRows : 1;
    for await (const items of inPages(curve.items(), size)) yield items.map((item) => rowOf(item, request));
    return {};
  },
});

/** A binary table. @param note What the file says of itself */
export function curveFits(curve: LightCurve, request: CurveRequest, items: readonly CurveItem[], note: string): Uint8Array {
  const { threshold, region } = request;
  const lines = [
    `Light curve of ${layerLabel(request)}, ${regionText(region)}.`,
    ...(threshold === null ? [] : [`The area is that above ${threshold} ${curve.first.confirmed.law.unit}.`]),
  ];
  const rows = items.map((item) => rowOf(item, request));
  const table = encodeTable('LIGHTCURVE', columnsOf(curve, request), rows);
  return concatenated([emptyPrimary(seriesHistory(lines, curve.first, request), note), table]);
}

function observerCards({ reference: { image, plane } }: Cutout): FitsCard[] {
  const { b0Degrees, longitudeDegrees } = plane!.observer;
  return [
    { keyword: 'DATE-OBS', value: formatExact(image.takenAtMs).replace('Z', '') },
    { keyword: 'DSUN_OBS', value: image.geometry.dsunMetres },
    { keyword: 'HGLN_OBS', value: longitudeDegrees },
    { keyword: 'HGLT_OBS', value: b0Degrees },
  ];
}

/** A cube of shape (times, height, width), or (times, sources, height, width), with a table of its images. */
export function arrayOfCutout(cutout: Cutout, request: CutoutRequest): ArrayProduct {
  const sources = [request.sourceId, ...request.others];
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
    sources.length > 1
      ? 'The third axis is that of the sources, the fourth that of the times: the table IMAGES has them in this order.'
      : 'The third axis is that of the images, of which the table IMAGES has the times.',
  ];
  const cards = [
    ...(sources.length === 1 ? [{ keyword: 'BUNIT', value: first.confirmed.law.unit }] : []),
    ...wcsCards(wcsOfGrid(grid)).filter(({ keyword }) => keyword !== 'WCSAXES'),
    ...observerCards(cutout),
    ...seriesHistory(lines, first, request),
  ];
  return seriesArray({ series: cutout, isRaw: request.isRaw, axes: [width, height], sources, cards });
}

const inArcsec = (value: number) => Number(value.toFixed(3));

/** A map as a table of its rows, for JSON. */
export function tableOfMap(map: TimeDistanceMap, request: PathRequest): Table {
  const { slots, step, positions } = map;
  const facts = {
    ...seriesFacts({ ...map, rows: slots.length }, request),
    step,
    width: request.width,
    path: positions.map(({ centre }) => [inArcsec(centre.x), inArcsec(centre.y)]),
  };
  return {
    name: 'map',
    columns: [],
    facts,
    pages: async function* () {
      for await (const { atMs, image, reason, result } of map.items()) {
        const values = Array.from(result ?? new Float32Array(positions.length).fill(Number.NaN), roundedValue);
        yield [{ id: image?.id ?? null, date: formatExact(atMs), reason, values }];
      }
      return {};
    },
  };
}

const PATH_COLUMNS: readonly Column[] = ['offset', 'x', 'y'].map((name) => ({ name, type: 'float', unit: 'arcsec' }));

/** An array of shape (images, positions), with tables of both. Only with a cadence is the second axis one of time. */
export function arrayOfMap(map: TimeDistanceMap, request: PathRequest): ArrayProduct {
  const { first, step, positions, slots } = map;
  const { cadenceSeconds, isRaw, width } = request;
  const axis = (i: number, [type, unit, value, delta]: readonly [string, string, number, number]): FitsCard[] => [
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
  const path = positions.map(({ offset, centre: { x, y } }) => ({ offset, x, y }));
  const tables = [encodeTable('PATH', PATH_COLUMNS, path)];
  return seriesArray({ series: map, isRaw, axes: [positions.length], sources: [request.sourceId], cards, tables });
}
