// Coronal mass ejections at their first appearance in a coronagraph.
import { RADIANS_PER_DEGREE as RAD } from '../../src/domain/coordinates/observer.ts';
import { DAY_MS } from '../../src/util/durations.ts';
import type { Cme } from '../sun/feature-types.ts';
import { cmesBetween } from '../sun/features.ts';
import { SOLAR_RADIUS_KM } from '../sun/observer.ts';
import { randomStream } from '../sun/random.ts';
import { CACTUS } from './hek-finders.ts';
import { type HekRecord, hekRecord } from './hek-record.ts';
import { Sky } from './sky.ts';

/** Solar radii from the Sun's centre, in the plane of the sky, at which the front is first seen and marked. */
const FIRST_SEEN_RADII = 2.5;
/** Height of the front at the start, solar radii. */
const STARTS_AT_RADII = 1.1;
/** Upper bound of the time in which an ejection crosses the field. */
const LONGEST_CROSSING_MS = 2 * DAY_MS;
/** Position angle span of a halo ejection, which moves along the line of sight. */
const HALO_DEG = 360;

export function ejections(fromMs: number, toMs: number): HekRecord[] {
  return cmesBetween(fromMs - LONGEST_CROSSING_MS, toMs + 1).flatMap((cme): HekRecord[] => {
    const startMs = firstSeenMs(cme);
    if (startMs > toMs || cme.endMs < fromMs || startMs >= cme.endMs) return [];
    const random = randomStream(910, Math.round(cme.startMs / 1000));
    const { away } = directionOf(cme);
    const record = hekRecord({
      type: 'CE',
      finder: CACTUS,
      key: String(cme.regionNumber),
      startMs,
      endMs: cme.endMs,
      sky: new Sky(startMs),
      position: markerOf(cme, startMs),
      title: 'CME',
      columns: {
        cme_radiallinvel: cme.speedKmPerS,
        cme_radiallinvelstddev: Math.round(cme.speedKmPerS * random.between(0.05, 0.2)),
        cme_radiallinvelmin: Math.round(cme.speedKmPerS * random.between(0.6, 0.9)),
        cme_radiallinvelmax: Math.round(cme.speedKmPerS * random.between(1.1, 1.5)),
        cme_radiallinvelunit: 'km/s',
        cme_angularwidth: away < 0.35 ? HALO_DEG : Math.round(2 * cme.halfWidthDeg),
        cme_angularwidthunit: 'degrees',
      },
    });
    return [record];
  });
}

/** Direction of the ejection: its source position and the sine of its angle to the line of sight. */
function directionOf(cme: Cme) {
  const sky = new Sky(cme.startMs);
  const position = sky.seeFeature(cme);
  const { stonyhurstDeg, latitudeDeg } = position;
  const ahead = Math.cos(latitudeDeg * RAD) * Math.cos(stonyhurstDeg * RAD);
  const west = Math.cos(latitudeDeg * RAD) * Math.sin(stonyhurstDeg * RAD);
  const north = Math.sin(latitudeDeg * RAD) * sky.view.cosLatitude - ahead * sky.view.sinLatitude;
  return { position, west, north, away: Math.max(1e-6, Math.hypot(west, north)) };
}

/** Time at which the front, a bubble as wide as the ejection's opening, reaches the inner edge of the field. */
function firstSeenMs(cme: Cme): number {
  const opening = Math.sin(cme.halfWidthDeg * RAD);
  const front = (FIRST_SEEN_RADII * (1 + opening)) / (directionOf(cme).away + opening);
  return cme.startMs + Math.round((Math.max(0, front - STARTS_AT_RADII) * SOLAR_RADIUS_KM) / cme.speedKmPerS) * 1000;
}

/** The outermost point of the front at its first appearance. */
function markerOf(cme: Cme, timeMs: number) {
  const { position, west, north, away } = directionOf(cme);
  const arcsec = FIRST_SEEN_RADII * new Sky(timeMs).limbArcsec;
  return { ...position, x: (west / away) * arcsec, y: (north / away) * arcsec };
}
