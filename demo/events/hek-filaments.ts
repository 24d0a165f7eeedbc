// Filaments on the disk, once a day with a narrow outline.
import { RADIANS_PER_DEGREE as RAD } from '../../src/domain/coordinates/observer.ts';
import { SOLAR_RADIUS_M } from '../../src/domain/geometry.ts';
import { DAY_MS, SECOND_MS } from '../../src/util/durations.ts';
import { type Filament, longitudeAt } from '../sun/feature-types.ts';
import { filamentsAt } from '../sun/features.ts';
import { AAFDCC } from './hek-finders.ts';
import { type HekRecord, hekRecord } from './hek-record.ts';
import { rounded, stepsBetween } from './record-text.ts';
import { Sky, type SunPosition } from './sky.ts';

/** Half width of the outline, degrees: about the drift and sway of a filament. */
const HALF_WIDTH_DEG = 1.8;

export function filaments(fromMs: number, toMs: number): HekRecord[] {
  return stepsBetween(fromMs, toMs, DAY_MS).flatMap((startMs) => {
    const sky = new Sky(startMs);
    return filamentsAt(startMs)
      .map((filament, i) => ({ filament, position: sky.seeFeature(filament), key: String(i) }))
      .filter(({ position }) => position.visible)
      .map(({ filament, position, key }) =>
        hekRecord({
          type: 'FI',
          finder: AAFDCC,
          key,
          startMs,
          endMs: startMs + DAY_MS - SECOND_MS,
          sky,
          position,
          outline: sky.outline(around(filament, startMs)),
          title: 'Filament',
          columns: {
            fi_length: Math.round(filament.lengthDeg * RAD * SOLAR_RADIUS_M),
            fi_lengthunit: 'm',
            fi_tilt: rounded(filament.angleDeg, 1),
            fi_chirality: filament.latitudeDeg > 0 ? '-1' : '1',
            fi_numbarbs: Math.round(filament.lengthDeg / 5),
          },
        }),
      );
  });
}

/** A lens along the filament. */
function around(filament: Filament, timeMs: number): SunPosition[] {
  const longitude = longitudeAt(filament, timeMs);
  const [c, s] = [Math.cos(filament.angleDeg * RAD), Math.sin(filament.angleDeg * RAD)];
  const narrow = Math.cos(filament.latitudeDeg * RAD);
  return Array.from({ length: 20 }, (_, i) => {
    const turn = (i / 20) * 2 * Math.PI;
    const along = (filament.lengthDeg / 2) * Math.cos(turn);
    const aside = HALF_WIDTH_DEG * Math.sin(turn);
    return [longitude + (along * c - aside * s) / narrow, filament.latitudeDeg + along * s + aside * c];
  });
}
