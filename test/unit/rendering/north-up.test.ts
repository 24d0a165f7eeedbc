import { expect, it } from 'vitest';
import { findInstrument } from '../../../demo/instruments/instruments.ts';
import { longitudeAt, regionStrength, regionsAt, wrap180 } from '../../../demo/sun/features.ts';
import { APPARENT_RADIUS_M, observerAt, type SunObserver, type Viewpoint } from '../../../demo/sun/observer.ts';
import { findSource } from '../../../src/sun/catalogue/sources.ts';
import { ASTRONOMICAL_UNIT_M } from '../../../src/sun/geometry.ts';
import { type RgbFrame, renderFrame } from '../../support/imaging/rgb-frame.ts';
import { sampleArchive } from '../../support/sample-archive.ts';

const RAD = Math.PI / 180;
/** The B0 of the Earth is -7 degrees in March and 7 in September. */
const MARCH = Date.parse('2024-03-07T00:00:00Z');
const SEPTEMBER = Date.parse('2024-09-08T00:00:00Z');

const monthOf = (timeMs: number) => (timeMs === MARCH ? 'March' : 'September');

const IMAGE_SCALE = 4.4;
const FIELD = { imageScale: IMAGE_SCALE, x0: -60, y0: 90, width: 500, height: 480 };
/** The Sun's centre in the picture. */
const SUN = { x: 250 - FIELD.x0 / IMAGE_SCALE, y: 240 - FIELD.y0 / IMAGE_SCALE };
/** Half-width in pixels of the window around a place. */
const REACH = 7;

type Offset = readonly [west: number, north: number];

/**
 * Apparent position of a heliographic place in pixels west and north of the Sun's centre, in the perspective of the observer
 * at the scale of 1 au; null on the far side or near the limb. Longitudes are relative to the Earth's meridian.
 */
function seenAt(stonyhurstDeg: number, latitudeDeg: number, earth: SunObserver, observer: SunObserver): Offset | null {
  const longitude = (stonyhurstDeg + earth.longitudeDeg - observer.longitudeDeg) * RAD;
  const [latitude, b0] = [latitudeDeg * RAD, observer.latitudeDeg * RAD];
  const west = Math.cos(latitude) * Math.sin(longitude);
  const north = Math.sin(latitude) * Math.cos(b0) - Math.cos(latitude) * Math.cos(longitude) * Math.sin(b0);
  const towards = Math.sin(latitude) * Math.sin(b0) + Math.cos(latitude) * Math.cos(longitude) * Math.cos(b0);
  if (towards < 0.45) return null;
  const away = observer.distanceM / APPARENT_RADIUS_M - towards;
  const pixels = (value: number) =>
    ((Math.atan(value / away) / RAD) * 3600 * (observer.distanceM / ASTRONOMICAL_UNIT_M)) / IMAGE_SCALE;
  return [pixels(west), pixels(north)];
}

/** Standard deviation around a place: high for active regions, low for the quiet Sun. */
function variation({ width, pixels }: RgbFrame, [west, north]: Offset): number {
  const [x, y] = [Math.round(SUN.x + west - 0.5), Math.round(SUN.y - north - 0.5)];
  let [sum, squares, count] = [0, 0, 0];
  for (let v = -REACH; v <= REACH; v++) {
    for (let u = -REACH; u <= REACH; u++) {
      const grey = pixels[((y + v) * width + x + u) * 3]!;
      sum += grey;
      squares += grey * grey;
      count++;
    }
  }
  return Math.sqrt(squares / count - (sum / count) ** 2);
}

const MIRRORS: readonly (readonly [name: string, turn: (offset: Offset) => Offset])[] = [
  ['with east and west swapped', ([west, north]) => [-west, north]],
  ['with north and south swapped', ([west, north]) => [west, -north]],
  ['turned by 180 degrees', ([west, north]) => [-west, -north]],
  ['turned by 90 degrees', ([west, north]) => [-north, west]],
];

function regionsSeen(viewpoint: Viewpoint, timeMs: number): Offset[] {
  const [earth, observer] = [observerAt('earth', timeMs), observerAt(viewpoint, timeMs)];
  return regionsAt(timeMs)
    .map((region) => ({ region, power: region.sizeDeg * regionStrength(region, timeMs) }))
    .sort((a, b) => b.power - a.power)
    .map(({ region }) => {
      const stonyhurst = wrap180(longitudeAt(region, timeMs) - earth.longitudeDeg);
      return seenAt(stonyhurst, region.latitudeDeg, earth, observer);
    })
    .filter((offset) => offset !== null)
    .slice(0, 3);
}

/** Covers every observer with its longitude and B0, and every kind of look. */
const SHOWN: readonly (readonly [timeMs: number, sourceIds: readonly number[]])[] = [
  [MARCH, [10, 13, 18, 19, 0, 6, 20, 24, 32, 33, 38, 84, 91, 94]],
  [SEPTEMBER, [10, 19, 20, 24, 84]],
];

const shots = SHOWN.flatMap(([timeMs, sourceIds]) =>
  sourceIds.map((sourceId) => ({ sourceId, timeMs, name: findSource(sourceId)?.nickname, month: monthOf(timeMs) })),
);

it.each(shots)(
  'active regions features appear at their positions for $name in $month, with north up and west right',
  async ({ sourceId, timeMs }) => {
    const { viewpoint } = findInstrument(sourceId)!;
    const archive = await sampleArchive([{ sourceId, timeMs, size: 512 }]);
    const layers = `[${sourceId},1,100]`;
    const frame = await renderFrame(archive, { date: timeMs, layers, colour: 'false', ...FIELD, watermark: false });
    const regions = regionsSeen(viewpoint, timeMs);
    expect(regions.length).toBeGreaterThan(1);
    const at = (turn: (offset: Offset) => Offset) => regions.reduce((sum, offset) => sum + variation(frame, turn(offset)), 0);
    const inPlace = at((offset) => offset);
    for (const [name, turn] of MIRRORS) expect(at(turn), name).toBeLessThan(0.85 * inPlace);
  },
);
