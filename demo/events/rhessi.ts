// Flares of the sample Sun as lines of the RHESSI flare list.
import { DAY_MS } from '../../src/util/durations.ts';
import { HONESTY } from '../instruments/header.ts';
import type { Flare } from '../sun/feature-types.ts';
import { flaresBetween } from '../sun/features.ts';
import { plainTime, queryTime, wholeMinute } from './record-text.ts';
import { type SeenPosition, Sky } from './sky.ts';

const COLUMNS = 'id,start,peak,end,peakrate,totalcounts,xloc,yloc,hi_band,dsun,ntime,nen,link';
/** The days around the showcase of the sample archive. */
const USUAL_WINDOW = { fromMs: Date.UTC(2024, 4, 3), toMs: Date.UTC(2024, 4, 18) };
const LONGEST_WINDOW_MS = 366 * DAY_MS;

/** Highest energy band by peak flux, W/m2. */
const BANDS: readonly (readonly [band: string, from: number])[] = [
  ['50-100', 1e-4],
  ['25-50', 1e-5],
  ['12-25', 2e-6],
  ['6-12', 0],
];

/** The list from `from` to `to`, flares by their starts; the showcase days unless given. Null for invalid times. */
export function rhessiList(query: URLSearchParams): string | null {
  const [fromMs, toMs] =
    query.size > 0 ? [queryTime(query.get('from')), queryTime(query.get('to'))] : Object.values(USUAL_WINDOW);
  if (typeof fromMs !== 'number' || typeof toMs !== 'number' || toMs < fromMs) return null;
  const seen = flaresBetween(fromMs, Math.min(toMs, fromMs + LONGEST_WINDOW_MS)).map((flare) => {
    const sky = new Sky(flare.peakMs);
    return { flare, sky, position: sky.seeFeature(flare) };
  });
  const lines = seen.filter(({ position }) => position.visible).map(({ flare, sky, position }) => lineOf(flare, sky, position));
  return [`# RHESSI flare list`, `# ${HONESTY}`, COLUMNS, ...lines, ''].join('\n');
}

function lineOf(flare: Flare, sky: Sky, position: SeenPosition): string {
  const id = idOf(flare);
  const seconds = Math.round((flare.endMs - flare.startMs) / 1000);
  const peakRate = Math.round(flare.peakFlux * 4e7);
  const [year, month, day] = plainTime(flare.startMs).slice(0, 10).split('-');
  return [
    id,
    plainTime(flare.startMs),
    plainTime(flare.peakMs),
    plainTime(flare.endMs),
    peakRate,
    peakRate * seconds * 3,
    position.x.toFixed(1),
    position.y.toFixed(1),
    BANDS.find(([, from]) => flare.peakFlux >= from)![0],
    (sky.observer.distanceM / 1000).toFixed(0),
    Math.ceil(seconds / 60),
    5,
    `${year}/${month}/${day}/hsi_flare_${id}`,
  ].join(',');
}

/** Year, month, day, hour and minute of the start, and the last two digits of the region: `240510032403`. */
function idOf({ startMs, regionNumber }: Flare): string {
  const minute = plainTime(wholeMinute(startMs)).replace(/\D/g, '').slice(2, 12);
  return minute + String(regionNumber % 100).padStart(2, '0');
}
