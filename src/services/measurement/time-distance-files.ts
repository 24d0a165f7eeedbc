// Files of time-distance maps.
import { statedLaw } from '../../domain/measurement/gate.ts';
import { statedRotation } from '../../domain/measurement/tracking.ts';
import { roundedValue } from '../../domain/measurement/value.ts';
import { formatExact } from '../../domain/time.ts';
import { encodeTable, type FitsCard } from '../../imaging/encode/fits.ts';
import { layerLabel } from '../../picture/layers.ts';
import { type ArrayItem, fitsFlow, npyFlow, type SeriesArrays, seriesHistory } from './series-files.ts';
import type { PathRequest, TimeDistanceMap } from './time-distance.ts';

const inArcsec = (value: number) => Number(value.toFixed(3));

function arraysOf(map: TimeDistanceMap, { isRaw, sourceId }: PathRequest): SeriesArrays {
  return { series: map, isRaw, count: map.slots.length, axes: [map.positions.length], sources: [sourceId] };
}

/** A row of JSON. */
export const mapRow = ({ atMs, image, reason, result }: ArrayItem, length: number) => ({
  id: image?.id ?? null,
  date: formatExact(atMs),
  reason,
  values: Array.from(result ?? new Float32Array(length).fill(Number.NaN), roundedValue),
});

/** Facts of the whole map. */
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
export const mapNpy = (map: TimeDistanceMap, request: PathRequest) => npyFlow(arraysOf(map, request));

/** An image of positions and images, with tables of both. Only with a cadence is the second axis one of time. */
export function mapFits(map: TimeDistanceMap, request: PathRequest) {
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
  const path = encodeTable('PATH', [
    { name: 'offset', type: 'float', unit: 'arcsec', values: positions.map(({ offset }) => offset) },
    { name: 'x', type: 'float', unit: 'arcsec', values: positions.map(({ centre }) => centre.x) },
    { name: 'y', type: 'float', unit: 'arcsec', values: positions.map(({ centre }) => centre.y) },
  ]);
  return fitsFlow(arraysOf(map, request), cards, [path]);
}
