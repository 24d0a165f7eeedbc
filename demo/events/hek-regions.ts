// Active regions in the formats of two detection modules, and their leading spots.
import { RADIANS_PER_DEGREE as RAD } from '../../src/domain/coordinates/observer.ts';
import { SOLAR_RADIUS_M } from '../../src/domain/geometry.ts';
import { DAY_MS, SECOND_MS } from '../../src/util/durations.ts';
import { type ActiveRegion, longitudeAt } from '../sun/feature-types.ts';
import { regionStrength, regionsAt } from '../sun/features.ts';
import { type Spot, spotsOf } from '../sun/spots.ts';
import { EGSO, NOAA, SPOCA_REGIONS } from './hek-finders.ts';
import { type HekRecord, hekRecord } from './hek-record.ts';
import { rounded, SPOCA_STEP_MS, stepsBetween } from './record-text.ts';
import { Sky, type SunPosition } from './sky.ts';

/** Brightness threshold of an outline, relative to a large region at its maximum. */
const OUTLINED_FROM = 0.25;
const OUTLINE_POINTS = 24;

interface SpottedRegion {
  readonly region: ActiveRegion;
  readonly spots: readonly Spot[];
}

const spotted = (sky: Sky): SpottedRegion[] =>
  regionsAt(sky.timeMs).map((region) => {
    const strength = regionStrength(region, sky.timeMs);
    return { region, spots: spotsOf({ region, longitudeDeg: longitudeAt(region, sky.timeMs), strength }) };
  });

/** Numbered regions with visible spots at 0 h of each day, valid for that day. */
export function noaaRegions(fromMs: number, toMs: number): HekRecord[] {
  return stepsBetween(fromMs, toMs, DAY_MS).flatMap((startMs) => {
    const sky = new Sky(startMs);
    return spotted(sky)
      .map((item) => ({ ...item, position: sky.seeFeature(item.region) }))
      .filter(({ spots, position }) => spots.length > 0 && position.visible)
      .map(({ region, spots, position }) =>
        hekRecord({
          type: 'AR',
          finder: NOAA,
          key: String(region.number),
          startMs,
          endMs: startMs + DAY_MS - SECOND_MS,
          sky,
          position,
          title: `AR ${region.number}`,
          columns: {
            ar_noaanum: region.number,
            ar_numspots: spots.length,
            ...classesOf(spots),
            ar_spotarearepr: millionths(spots),
            area_unit: 'MSH',
            frm_specificid: '',
          },
        }),
      );
  });
}

/** Bright regions with their outlines, every four hours. As in SPoCA records, position and outline refer to the end time. */
export function outlinedRegions(fromMs: number, toMs: number): HekRecord[] {
  return stepsBetween(fromMs, toMs, SPOCA_STEP_MS).flatMap((startMs) => {
    const sky = new Sky(startMs + SPOCA_STEP_MS - SECOND_MS);
    return regionsAt(sky.timeMs)
      .map((region) => ({ region, position: sky.seeFeature(region), reachDeg: brightReachDeg(region, sky.timeMs) }))
      .filter(({ position, reachDeg }) => position.visible && reachDeg > 0)
      .map(({ region, position, reachDeg }) =>
        hekRecord({
          type: 'AR',
          finder: SPOCA_REGIONS,
          key: String(region.number),
          startMs,
          endMs: sky.timeMs,
          sky,
          position,
          outline: sky.outline(around(region, reachDeg, sky.timeMs)),
          title: `AR by SPoCA ${region.number}`,
          columns: {
            frm_specificid: `SPoCA_v1.0_AR_${String(region.number).padStart(10, '0')}`,
            frm_versionnumber: '1.0',
            area_atdiskcenter: rounded(Math.PI * Math.sqrt(1.6) * (reachDeg * RAD * (SOLAR_RADIUS_M / 1e6)) ** 2, 1),
            area_unit: 'Mm2',
          },
        }),
      );
  });
}

/** The largest spot of each region at 0 h of each day. */
export function leadingSpots(fromMs: number, toMs: number): HekRecord[] {
  return stepsBetween(fromMs, toMs, DAY_MS).flatMap((startMs) => {
    const sky = new Sky(startMs);
    return spotted(sky).flatMap(({ region, spots }): HekRecord[] => {
      const largest = [...spots].sort((a, b) => b.radiusDeg - a.radiusDeg)[0];
      if (!largest) return [];
      const position = sky.see([largest.longitudeDeg, largest.latitudeDeg]);
      if (!position.visible) return [];
      const record = hekRecord({
        type: 'SS',
        finder: EGSO,
        key: String(region.number),
        startMs,
        endMs: startMs + DAY_MS - SECOND_MS,
        sky,
        position,
        title: 'Sunspot',
        columns: {
          area_atdiskcenter: millionths([largest]),
          area_unit: 'MSH',
        },
      });
      return [record];
    });
  });
}

/** Distance northward from the centre at which the glow falls to the outline brightness, degrees; 0 for faint regions. */
function brightReachDeg(region: ActiveRegion, timeMs: number): number {
  const peak = regionStrength(region, timeMs) * Math.min(1, region.sizeDeg / 8);
  return peak <= OUTLINED_FROM ? 0 : 0.75 * region.sizeDeg * Math.sqrt(2 * Math.log(peak / OUTLINED_FROM));
}

/** East-west elongation of the glow. */
function around(region: ActiveRegion, reachDeg: number, timeMs: number): SunPosition[] {
  const longitude = longitudeAt(region, timeMs);
  return Array.from({ length: OUTLINE_POINTS }, (_, i) => {
    const bearing = (i / OUTLINE_POINTS) * 2 * Math.PI;
    const latitude = region.latitudeDeg + reachDeg * Math.sin(bearing);
    return [longitude + (Math.sqrt(1.6) * reachDeg * Math.cos(bearing)) / Math.cos(latitude * RAD), latitude];
  });
}

/** Area of spots in millionths of the hemisphere. */
function millionths(spots: readonly Spot[]): number {
  return Math.round(spots.reduce((sum, { radiusDeg }) => sum + (1 - Math.cos(radiusDeg * RAD)) * 1e6, 0));
}

/** Class by number of spots. */
function classesOf(spots: readonly Spot[]): HekRecord {
  const [mcintosh, wilson] =
    spots.length < 2
      ? ['AXX', 'ALPHA']
      : spots.length < 6
        ? ['CAO', 'BETA']
        : spots.length < 12
          ? ['DAI', 'BETA-GAMMA']
          : ['EKC', 'BETA-GAMMA-DELTA'];
  return { ar_mcintoshcls: mcintosh, ar_mtwilsoncls: wilson, ar_noaaclass: mcintosh };
}
