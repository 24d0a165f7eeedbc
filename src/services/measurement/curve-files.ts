// Files of light curves: rows and a table of FITS.
import { statedLaw } from '../../domain/measurement/gate.ts';
import type { FigureName } from '../../domain/measurement/region-figures.ts';
import { ROTATION } from '../../domain/measurement/tracking.ts';
import { layerLabel } from '../../domain/recipe/layers.ts';
import { formatExact } from '../../domain/time.ts';
import { emptyPrimary, encodeTable, type TableColumn } from '../../imaging/encode/fits.ts';
import { concatenated } from '../../util/bytes.ts';
import type { CurveItem, CurveRequest, LightCurve } from './curves.ts';
import { regionText } from './regions.ts';

/** Significant digits of a value in rows. */
const DIGITS = 7;
const rounded = (value: number | null | undefined) => (typeof value === 'number' ? Number(value.toPrecision(DIGITS)) : null);

/** A row by the names of `columnsOf`. */
type CurveRow = Readonly<Record<string, string | number | null>>;

const FACTS = ['id', 'date', 'reason', 'count', 'censored', 'unit', 'status'] as const;
/** Names of the columns. */
export const columnsOf = (names: readonly FigureName[]) => [
  ...FACTS,
  ...names.flatMap((name) => [name, `${name}Lower`, `${name}Upper`]),
];

export function rowOf(
  { atMs, image, reason, result, member }: CurveItem,
  { names, isRaw }: Pick<CurveRequest, 'names' | 'isRaw'>,
): CurveRow {
  const row: Record<string, string | number | null> = {
    id: image?.id ?? null,
    date: formatExact(atMs),
    reason,
    count: result?.count ?? null,
    censored: rounded(result?.censored),
    unit: member?.confirmed.law.unit ?? null,
    status: isRaw ? null : (member?.confirmed.status ?? null),
  };
  for (const name of names) {
    const figure = result?.figures[name];
    row[name] = rounded(figure?.value);
    row[`${name}Lower`] = rounded(figure?.lower);
    row[`${name}Upper`] = rounded(figure?.upper);
  }
  return row;
}

const AREA_UNIT = 'arcsec2';
/** Unit of a figure of values in a unit. */
export const unitOf = (name: FigureName, unit: string) => (name === 'area' ? AREA_UNIT : unit);

/** What holds for the whole curve. */
export function factsOf(
  { first, images, rows, grid }: LightCurve,
  { sourceId, isTracked, isRaw, threshold, names }: CurveRequest,
) {
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
    rotation: isTracked ? ROTATION : null,
    grid,
  };
}

/** A binary table with the columns of the rows. */
export function curveTable(curve: LightCurve, request: CurveRequest, items: readonly CurveItem[]): Uint8Array {
  const rows = items.map((item) => rowOf(item, request));
  const { law, status, caveats, rotation, unit } = factsOf(curve, request);
  const type = (name: string): TableColumn['type'] => {
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
  const history = [
    `Light curve of ${layerLabel(request)}, ${regionText(request.region)}.`,
    ...(law ? [`Law of the first image: ${law}, ${status}.`] : []),
    ...(request.threshold === null ? [] : [`The area is that above ${request.threshold} ${unit}.`]),
    ...(rotation
      ? [`The region rotates with the Sun: ${rotation.replaceAll('²', '^2').replaceAll('⁴', '^4').replace('µ', 'micro')}.`]
      : []),
    ...(curve.first.isSynthetic ? ['The images are synthetic.'] : []),
    ...caveats,
  ];
  const cards = history.map((value) => ({ keyword: 'HISTORY', value }));
  return concatenated([emptyPrimary(cards), encodeTable('LIGHTCURVE', columns)]);
}
