// Files of light curves: rows and a table of FITS.
import { statedLaw } from '../../domain/measurement/gate.ts';
import type { FigureName } from '../../domain/measurement/region-figures.ts';
import { statedRotation } from '../../domain/measurement/tracking.ts';
import { roundedValue } from '../../domain/measurement/value.ts';
import { formatExact } from '../../domain/time.ts';
import { emptyPrimary, encodeTable, type TableColumn } from '../../imaging/encode/fits.ts';
import { layerLabel } from '../../picture/layers.ts';
import { concatenated } from '../../util/bytes.ts';
import type { CurveItem, CurveRequest, LightCurve } from './curves.ts';
import { regionText } from './regions.ts';
import { seriesHistory } from './series-files.ts';

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

/** Facts of the whole curve. */
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
  const lines = [
    `Light curve of ${layerLabel(request)}, ${regionText(request.region)}.`,
    ...(request.threshold === null ? [] : [`The area is that above ${request.threshold} ${unit}.`]),
  ];
  return concatenated([emptyPrimary(seriesHistory(lines, curve.first, request)), encodeTable('LIGHTCURVE', columns)]);
}
