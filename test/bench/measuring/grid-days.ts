// Days of grids as the service writes them, of synthetic images 12 minutes apart whose means change as those of the Sun do.
import { gridDayKey } from '../../../src/archive/keys.ts';
import { emptyPlanes, GRID_SIDES, WHOLE_SHARE } from '../../../src/measure/grids/image-grid.ts';
import { dayMetadata, encodeGridDay, type ImageGrid } from '../../../src/measure/grids/image-grids.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { root, truncatedLaw } from '../../../src/sun/laws/law.ts';
import { randomNumbers } from '../../support/imaging/rasters.ts';

export const YEAR = { sourceId: 10, startMs: Date.UTC(2023, 0, 1), days: 365, cadenceMs: 12 * MINUTE_MS } as const;

const SIDE = GRID_SIDES[0];
const PIXELS = 4096;
const SCALE = 0.6;

const VIEW = {
  width: PIXELS,
  height: PIXELS,
  wcs: {
    ...{ naxis: [PIXELS, PIXELS], ctype: ['HPLN-TAN', 'HPLT-TAN'], cunit: ['arcsec', 'arcsec'], crpix: [2048.5, 2048.5] },
    ...{ cdelt: [SCALE, SCALE], crval: [0, 0], lonpole: 180, latpole: 0, dateObs: null, observer: null, rsunRef: 6.96e8 },
    pc: [
      [1, 0],
      [0, 1],
    ],
  },
  arcsecPerPixel: SCALE,
  law: truncatedLaw({ name: 'AIA v5 171', unit: 'DN/s', transfer: root(0.5, 5), lo: 6, hi: 1605 }),
  status: 'exact',
  caveats: [],
  lossyLevels: 1.3,
  isSynthetic: true,
} as const satisfies ImageGrid['image']['view'];

/** The objects of the days of a year, with their metadata. */
export function* gridDays() {
  const next = randomNumbers(28);
  let means = Float64Array.from({ length: SIDE * SIDE }, () => 3000 + 40_000 * next());
  let id = 26;
  for (let day = 0; day < YEAR.days; day++) {
    const dayMs = YEAR.startMs + day * DAY_MS;
    const grids = Array.from({ length: DAY_MS / YEAR.cadenceMs }, (_, i): ImageGrid => {
      means = means.map((mean) => Math.min(60_000, Math.max(500, mean + 200 * (next() - 0.5))));
      const cells = emptyPlanes(SIDE * SIDE);
      cells.means.set(means);
      cells.data.fill(WHOLE_SHARE);
      id += 16;
      const takenAtMs = dayMs + i * YEAR.cadenceMs + Math.floor(2000 * next());
      return {
        image: { id, takenAtMs, least: -8 - Math.floor(9 * next()), greatest: 4000 + Math.floor(9000 * next()), view: VIEW },
        cells,
      };
    });
    const { bytes, lengths } = encodeGridDay(grids);
    yield { key: gridDayKey('values', YEAR.sourceId, dayMs), bytes, metadata: dayMetadata(lengths) };
  }
}
