// Forecasts of the WSA model (Wang-Sheeley-Arge, CCMC): coronal holes, and the footpoints of the field lines that connect observers with the
// Sun, as outlines in Carrington coordinates for windows of time. A record has one event, its outlines as text, because lists of numbers
// would take most of its bytes.
import { earthAt, RADIANS_PER_DEGREE, wrap180 } from '../../sun/coordinates/observer.ts';
import { type Point, poleOfInaccessibility, type Ring } from '../../sun/coordinates/rings.ts';
import { PATH_SEPARATOR } from '../../sun/events/event-types.ts';
import type { SolarEvent } from '../../sun/events/solar-event.ts';
import { formatDateTime, isoSeconds } from '../../sun/time.ts';
import { dateOf, MAX_POINTS, numberOf, parseOutlines, type RawRecord, recordsIn, textOf, thinned } from './record.ts';

const MAX_CONTOURS = 60;
/** Degrees between the ends of parts of one contour, which maps cut at longitude 0. */
const JOIN_DEGREES = 4;
const DASHBOARD = 'https://ccmc.gsfc.nasa.gov/wsa-dashboard/';

/** Degrees on the sphere, near enough for ends that meet. */
const gap = ([l1, b1]: Point, [l2, b2]: Point): number =>
  Math.hypot(wrap180(l2 - l1) * Math.cos(((b1 + b2) / 2) * RADIANS_PER_DEGREE), b2 - b1);

/** The points of a contour, or one; empty for lists of different lengths, and without what is no place. */
function pointsOf(coords: unknown): Point[] {
  const { lat, lon } = (coords ?? {}) as { lat?: unknown; lon?: unknown };
  const [latitudes, longitudes] = [[lat ?? []].flat(), [lon ?? []].flat()];
  if (latitudes.length !== longitudes.length) return [];
  const points = longitudes.map((longitude, i): Point => [Number(longitude), Number(latitudes[i])]);
  return points.filter(([l, b]) => Number.isFinite(l) && Math.abs(l) <= 720 && Math.abs(b) <= 90);
}

/** Closed contours of parts: open parts whose ends meet are joined; what remains open is closed by its chord. */
export function joinedContours(parts: readonly Ring[]): Ring[] {
  const isClosed = (part: Ring) => gap(part[0]!, part.at(-1)!) <= JOIN_DEGREES;
  const usable = parts.filter(({ length }) => length > 1);
  const open = usable.filter((part) => !isClosed(part));
  const joined: Ring[] = [];
  for (let chain = open.shift(); chain; chain = open.shift()) {
    while (!isClosed(chain)) {
      const end: Point = chain.at(-1)!;
      const meets = (part: Ring) => gap(end, part[0]!) <= JOIN_DEGREES || gap(end, part.at(-1)!) <= JOIN_DEGREES;
      const [next] = open.splice(open.findIndex(meets) >>> 0, 1);
      if (!next) break;
      chain = [...chain, ...(gap(end, next[0]!) <= JOIN_DEGREES ? next : next.toReversed())];
    }
    joined.push(chain);
  }
  return [...usable.filter(isClosed), ...joined].filter(({ length }) => length > 2);
}

const textOfPoint = ([longitude, latitude]: Point) => `${Number(longitude.toFixed(2))} ${Number(latitude.toFixed(2))}`;

/** The number of points of contours, and those that are kept as text. */
function outlineOf(contours: readonly Ring[]) {
  const most = Math.floor(MAX_POINTS / Math.max(1, contours.length / 4));
  const rings = contours.slice(0, MAX_CONTOURS).map((ring) => `(${thinned(ring, most).map(textOfPoint).join(',')})`);
  return { points: contours.flat().length, outline: `MULTIPOLYGON(${rings.join(',')})` };
}

type WsaRequest = { readonly satellite: string; readonly map: string };

const windowOf = (record: RawRecord) => {
  const [start, end] = Array.isArray(record.forecast_range) ? record.forecast_range : [];
  return { start, end, time: record.forecast_time };
};

/** One record for each window of a map of coronal holes. */
export const wsaHoles = (windows: readonly RawRecord[], { satellite, map }: WsaRequest, realization: number): RawRecord[] =>
  windows.map((window) => {
    const contours = joinedContours(recordsIn(window.forecast).map(({ coords }) => pointsOf(coords)));
    const of = { satellite, map, realization, ...windowOf(window) };
    return { ...of, contours: contours.length, ...outlineOf(contours) };
  });

/** One record for each contour of probability of the footpoints of an observer. */
export const wsaFootpoints = (windows: readonly RawRecord[], { satellite, map }: WsaRequest, advanced: string): RawRecord[] =>
  windows.flatMap((window) =>
    recordsIn(window.forecast).map((item, number) => {
      const [place] = pointsOf([item.label_coords].flat()[0]);
      const [longitude, latitude] = place ?? [];
      const of = { satellite, map, advanced, number, ...windowOf(window), probability: String(item.label ?? '') };
      return { ...of, longitude, latitude, ...outlineOf(joinedContours([pointsOf(item.contour_coords)])) };
    }),
  );

/** Longitudes of a ring that continue beyond 0 and 360, and the turn around the axis: 360 degrees for a ring about a pole. */
function unwrapped(ring: Ring): { readonly points: Ring; readonly turn: number } {
  let at = ring[0]![0];
  const points = ring.map(([longitude, latitude]): Point => {
    at += wrap180(longitude - at);
    return [at, latitude];
  });
  return { points, turn: at + wrap180(ring[0]![0] - at) - ring[0]![0] };
}

/** Area inside a ring, in squares of the solar radius; the smaller part of the sphere. */
function areaOf({ points, turn }: ReturnType<typeof unwrapped>): number {
  const sine = ([, latitude]: Point) => Math.sin(latitude * RADIANS_PER_DEGREE);
  const closed = [...points, [points[0]![0] + turn, points[0]![1]] as Point];
  const strips = closed
    .slice(1)
    .map((point, i) => (point[0] - closed[i]![0]) * RADIANS_PER_DEGREE * (sine(point) + sine(closed[i]!)));
  const belowEquator = Math.abs(strips.reduce((sum, strip) => sum + strip, 0)) / 2;
  return Math.abs(turn) > 180 ? 2 * Math.PI - belowEquator : belowEquator;
}

/** A place inside the largest ring; in a hole about a pole, between its edge and the pole on the meridian of the Earth. */
function placeIn(rings: readonly Ring[], l0Degrees: number): Point {
  const [largest] = rings.map(unwrapped).sort((a, b) => areaOf(b) - areaOf(a));
  const { points, turn } = largest!;
  if (Math.abs(turn) < 180) return poleOfInaccessibility([points]);
  const latitude = points.reduce((sum, point) => sum + point[1], 0) / points.length;
  return [l0Degrees, (latitude + 90 * Math.sign(latitude)) / 2];
}

const minute = (ms: number) => formatDateTime(ms).slice(0, -3);

/** The event of a record of `wsaHoles` or `wsaFootpoints`; null for one without times or outline. */
export function wsaEvent(record: RawRecord): SolarEvent | null {
  const [startMs, endMs, peakMs] = [dateOf(record, 'start'), dateOf(record, 'end'), dateOf(record, 'time')];
  const text = (key: string) => textOf(record, key);
  const rings = parseOutlines(text('outline'), MAX_CONTOURS);
  if (startMs === null || endMs === null || peakMs === null || endMs < startMs || rings.length === 0) return null;
  const { l0Degrees } = earthAt(peakMs);
  const [satellite, map, probability] = [text('satellite'), text('map'), text('probability')];
  const isHole = record.realization !== undefined;
  const [longitude, latitude] = [numberOf(record, 'longitude'), numberOf(record, 'latitude')];
  const place = longitude !== null && latitude !== null ? ([longitude, latitude] as const) : placeIn(rings, l0Degrees);
  const toStonyhurst = ([l, b]: Point): Point => [wrap180(l - l0Degrees), b];
  const names = isHole ? [map, ...(map === 'AGONG' ? [`R${text('realization')}`] : [])] : [satellite, map];
  const percent = Number(probability) > 0 ? `${Math.round(Number(probability) * 1000) / 10}%` : probability;
  const forecast = `Forecast: ${minute(peakMs)}`;
  const shortLabel = isHole ? forecast : `P: ${percent}, ${forecast}`;
  const part = isHole ? text('realization') : `${text('advanced')}:${text('number')}`;
  const facts = isHole
    ? { Product: 'Coronal holes', 'Input map': map, Realization: record.realization }
    : { Target: satellite, 'Input map': map, 'Advanced days': record.advanced, 'Connectivity probability': percent };
  return {
    source: 'WSA',
    pin: isHole ? 'CH' : 'MC',
    type: isHole ? 'CH' : 'MC',
    group: { name: names.join(PATH_SEPARATOR), contact: '', url: DASHBOARD },
    id: ['WSA', satellite, map, part, isoSeconds(startMs), isoSeconds(endMs)].join(':'),
    version: '',
    label: isHole ? shortLabel : `${satellite}, ${shortLabel}`,
    shortLabel,
    startMs,
    endMs,
    peakMs,
    position: { kind: 'stonyhurst', longitude: wrap180(place[0] - l0Degrees), latitude: place[1], atMs: peakMs },
    outlines: rings.map((ring) => ring.map(toStonyhurst)),
    link: { url: DASHBOARD, text: 'CCMC WSA Dashboard' },
    views() {
      const content = {
        ...facts,
        'Forecast time': minute(peakMs),
        'Forecast window': `${minute(startMs)} to ${minute(endMs)}`,
        ...(isHole ? { Contours: record.contours, 'Boundary points': record.points } : { 'Contour points': record.points }),
        'Coordinate system': 'Carrington',
        'WSA Dashboard': DASHBOARD,
      };
      return [{ name: isHole ? 'WSA Coronal Hole' : 'WSA', content }];
    },
    raw: record,
  };
}
