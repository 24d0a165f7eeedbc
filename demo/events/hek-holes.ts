// Coronal holes with their outlines, every four hours. As in SPoCA records, position and outline refer to the end time.
import { LRUCache } from 'lru-cache';
import { RADIANS_PER_DEGREE as RAD } from '../../src/domain/coordinates/observer.ts';
import { SOLAR_RADIUS_M } from '../../src/domain/geometry.ts';
import { DAY_MS, SECOND_MS } from '../../src/util/durations.ts';
import { type CoronalHole, longitudeAt, wrap180 } from '../sun/feature-types.ts';
import { holeGrowth, holeOutline, holesAt, polarHoleLatitudeDeg } from '../sun/features.ts';
import { hash } from '../sun/random.ts';
import { sphereMap } from '../sun/sphere-maps.ts';
import { sampleGrid, sampleTexture, surfaceAt } from '../sun/surface.ts';
import { SPOCA } from './hek-finders.ts';
import { type HekRecord, hekRecord } from './hek-record.ts';
import { rounded, SPOCA_STEP_MS, stepsBetween } from './record-text.ts';
import { type SeenPosition, Sky, type SunPosition } from './sky.ts';

const SOLAR_RADIUS_MM = SOLAR_RADIUS_M / 1e6;
/** Part of its full size below which a hole is not detected. */
const FOUND_FROM = 0.3;
/** Weights of active-region glow and of clouds on the darkness of a hole, as drawn. */
const BRIGHTENING = 1.4;
const CLOUDS = 0.3;
/** Darkness at the detected edge, and at the centre of a detected hole. */
const DARK_FROM = 0.1;
const FOUND_FROM_DARKNESS = 0.4;
/** Search range as a multiple of the distance from the centre to the edge; clouds can extend a hole beyond its edge. */
const WAY_STEP = 0.02;
const LONGEST_WAY = 1.6;
/** Degrees of longitude between the points of a polar hole's edge. */
const POLAR_STEP_DEG = 10;

interface FoundHole {
  readonly number: number;
  readonly position: SeenPosition;
  readonly edge: readonly SunPosition[];
}

export function coronalHoles(fromMs: number, toMs: number): HekRecord[] {
  return stepsBetween(fromMs, toMs, SPOCA_STEP_MS).flatMap((startMs) => {
    const sky = new Sky(startMs + SPOCA_STEP_MS - SECOND_MS);
    return [...openHoles(sky), ...polarHoles(sky)]
      .filter(({ position }) => position.visible)
      .map(({ number, position, edge }) =>
        hekRecord({
          type: 'CH',
          finder: SPOCA,
          key: String(number),
          startMs,
          endMs: sky.timeMs,
          sky,
          position,
          outline: sky.outline(edge),
          title: `CH by SPoCA ${number}`,
          columns: {
            frm_specificid: `SPoCA_v1.0_CH_${String(number).padStart(10, '0')}`,
            frm_versionnumber: '1.0',
            area_atdiskcenter: rounded(areaOf(edge), 1),
            area_unit: 'Mm2',
          },
        }),
      );
  });
}

/** Edges of the holes all around the Sun. */
export const holeEdges = (sky: Sky): (readonly SunPosition[])[] =>
  [...openHoles(sky), ...polarHoles(sky)].map(({ edge }) => edge);

/** An open hole as it is found on a day: its edge relative to its middle, degrees of longitude and latitude. */
interface HoleOfDay {
  readonly hole: CoronalHole;
  readonly edge: readonly SunPosition[];
}

/** Of a window of a query, which comes once for each of its pages. */
const KEPT_DAYS = 40;
/** At noon of each day, because the surface of an instant takes 30 ms and holes hardly change within a day. */
const holesOfDays = new LRUCache<number, readonly HoleOfDay[]>({
  max: KEPT_DAYS,
  memoMethod: (day) => holesAtNoon((day + 0.5) * DAY_MS),
});

function openHoles(sky: Sky): FoundHole[] {
  return holesOfDays.memo(Math.floor(sky.timeMs / DAY_MS)).map(({ hole, edge: offsets }) => {
    const [longitude, latitude] = [longitudeAt(hole, sky.timeMs), hole.latitudeDeg];
    const edge = offsets.map(([east, north]) => [longitude + east, latitude + north] as const);
    return { number: numberOf(hole), position: sky.see(meanPosition(edge)), edge };
  });
}

function holesAtNoon(noonMs: number): HoleOfDay[] {
  const surface = surfaceAt(noonMs);
  const clouds = sphereMap('clouds');
  const darkness = (position: SunPosition) =>
    sampleGrid(surface.holes, ...position) +
    CLOUDS * sampleTexture(surface, clouds, ...position) -
    BRIGHTENING * sampleGrid(surface.heat, ...position);
  return holesAt(noonMs).flatMap((hole): HoleOfDay[] => {
    const middle = [longitudeAt(hole, noonMs), hole.latitudeDeg] as const;
    if (holeGrowth(hole, noonMs) < FOUND_FROM || darkness(middle) < FOUND_FROM_DARKNESS) return [];
    const edge = holeOutline(hole, noonMs).map((end) => darkPart(middle, end, darkness));
    return [{ hole, edge: edge.map(([longitude, latitude]) => [longitude - middle[0], latitude - middle[1]]) }];
  });
}

function meanPosition(positions: readonly SunPosition[]): SunPosition {
  const mean = (axis: 0 | 1) => positions.reduce((sum, position) => sum + position[axis], 0) / positions.length;
  return [mean(0), mean(1)];
}

/** Distance along a bearing at which the darkness ends, which active regions beside the hole can shorten. */
function darkPart(middle: SunPosition, end: SunPosition, darkness: (position: SunPosition) => number): SunPosition {
  const at = (part: number): SunPosition => [middle[0] + (end[0] - middle[0]) * part, middle[1] + (end[1] - middle[1]) * part];
  let part = 0;
  while (part < LONGEST_WAY && darkness(at(part + WAY_STEP)) >= DARK_FROM) part += WAY_STEP;
  return at(part);
}

/** The polar caps beyond the edge latitude of the polar holes, with their centres on the Earth's meridian. */
function polarHoles(sky: Sky): FoundHole[] {
  const edgeDeg = polarHoleLatitudeDeg(sky.timeMs);
  const meridianDeg = sky.observer.longitudeDeg;
  return [1, -1].map((side) => ({
    number: side > 0 ? 1 : 2,
    position: sky.see([meridianDeg, (side * (edgeDeg + 90)) / 2]),
    edge: Array.from({ length: 360 / POLAR_STEP_DEG }, (_, i) => [meridianDeg + i * POLAR_STEP_DEG, side * edgeDeg] as const),
  }));
}

/** Stable five-digit number of the hole. */
function numberOf(hole: CoronalHole): number {
  return 10_000 + (hash(900, Math.round(hole.startMs / 1000)) % 90_000);
}

/** Area inside an edge on a sphere of 695.7 Mm, Mm2: the strip between the edge and the equator, or what it leaves of a hemisphere. */
function areaOf(edge: readonly SunPosition[]): number {
  let [strip, turned] = [0, 0];
  edge.forEach(([longitude, latitude], i) => {
    const [nextLongitude, nextLatitude] = edge[(i + 1) % edge.length]!;
    const turn = wrap180(nextLongitude - longitude);
    strip += (turn * RAD * (Math.sin(latitude * RAD) + Math.sin(nextLatitude * RAD))) / 2;
    turned += turn;
  });
  const isCap = Math.abs(turned) > 180;
  return (isCap ? 2 * Math.PI - Math.abs(strip) : Math.abs(strip)) * SOLAR_RADIUS_MM ** 2;
}
