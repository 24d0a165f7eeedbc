// Flares of RHESSI: parser for the lines of its list, and their events.
import { HOUR_MS } from '../../platform/util/durations.ts';
import type { SolarEvent } from '../../sun/events/solar-event.ts';
import { formatDateTime, parseEventDate } from '../../sun/time.ts';
import { numberOf, type RawRecord, textOf } from './record.ts';

const RHESSI_COLUMNS = 'id start peak end peakrate totalcounts xloc yloc hi_band dsun ntime nen link'.split(' ');

const ARCHIVE = 'https://umbra.nascom.nasa.gov/rhessi/rhessi_extras/flare_images_v2/';
export const RHESSI_GROUP = { name: 'Flare', contact: '', url: ARCHIVE };

export const RHESSI_FEED = 'rhessi';

export const LONGEST_RHESSI_HOURS = 24;

/** Limit of the field of view of RHESSI, which is about a degree across. */
const FARTHEST_ARCSEC = 2_000;
const FIELD_CHARACTERS = 200;
const LINK = /^[\w./-]*$/;

export const isRhessiHeader = (line: string): boolean => /^\s*id\s*,\s*start\s*,\s*peak\s*,/i.test(line);

/** The flare of a line, or the sentence why it has none. Arcseconds from disk centre at the peak, x to the west, y to the NORTH. */
export function parseRhessiLine(line: string) {
  const fields = line.split(',').map((field) => field.trim());
  if (fields.length !== RHESSI_COLUMNS.length)
    return `The line does not have ${RHESSI_COLUMNS.length} columns, but ${fields.length}.`;
  const long = fields.findIndex((field) => field.length > FIELD_CHARACTERS);
  if (long >= 0)
    return `Expected at most ${FIELD_CHARACTERS} characters for ${RHESSI_COLUMNS[long]}, got ${fields[long]!.length}.`;
  const row = Object.fromEntries(RHESSI_COLUMNS.map((name, i) => [name, fields[i]!]));
  const given = (...names: string[]) => names.map((name) => row[name]!.replace(/\s+/g, ' ') || 'none').join(', ');
  const [startMs, peakMs, endMs] = ['start', 'peak', 'end'].map((name) => parseEventDate(row[name]!));
  const [id, xArcsec, yArcsec] = ['id', 'xloc', 'yloc'].map((name) => numberOf(row, name));
  if (!/^\d{1,12}$/.test(row.id!) || typeof id !== 'number') return `Expected a whole number for id, got ${given('id')}.`;
  if (typeof startMs !== 'number' || typeof peakMs !== 'number' || typeof endMs !== 'number')
    return `Expected times like 2002-02-12T21:29:56 for start, peak and end, got ${given('start', 'peak', 'end')}.`;
  if (startMs > peakMs || peakMs > endMs || endMs - startMs > LONGEST_RHESSI_HOURS * HOUR_MS)
    return `Expected ascending times within ${LONGEST_RHESSI_HOURS} hours for start, peak and end, got ${given('start', 'peak', 'end')}.`;
  if (typeof xArcsec !== 'number' || typeof yArcsec !== 'number' || Math.hypot(xArcsec, yArcsec) > FARTHEST_ARCSEC)
    return `Expected a position within ${FARTHEST_ARCSEC} arcseconds for xloc and yloc, got ${given('xloc', 'yloc')}.`;
  if (!LINK.test(row.link!)) return `Expected a path for link, got ${given('link')}.`;
  return {
    id,
    startMs,
    peakMs,
    endMs,
    peakRate: numberOf(row, 'peakrate'),
    totalCounts: numberOf(row, 'totalcounts'),
    xArcsec,
    yArcsec,
    highBand: row.hi_band!,
    dsun: row.dsun!,
    ntime: row.ntime!,
    nen: row.nen!,
    link: row.link!,
  };
}

export type RhessiFlare = Exclude<ReturnType<typeof parseRhessiLine>, string>;

/** The columns of the list. */
function rowOf({ id, startMs, peakMs, endMs, ...flare }: RhessiFlare): RawRecord {
  const [start, peak, end] = [startMs, peakMs, endMs].map(formatDateTime);
  const { peakRate: peakrate, totalCounts: totalcounts, xArcsec: xloc, yArcsec: yloc, highBand: hi_band, ...same } = flare;
  return { id, start, peak, end, peakrate, totalcounts, xloc, yloc, hi_band, ...same };
}

export function rhessiEvent(flare: RhessiFlare): SolarEvent {
  const { id, startMs, peakMs, endMs, xArcsec, yArcsec } = flare;
  const raw = rowOf(flare);
  return {
    source: 'RHESSI',
    pin: 'F2',
    type: 'FL',
    group: RHESSI_GROUP,
    // With letters, because the web client reads digits as a number and does not find the event.
    id: `RHESSI-${id}`,
    version: '',
    label: `RHESSI ${id}`,
    shortLabel: `${id}: ${textOf(raw, 'start')}`,
    startMs,
    endMs,
    peakMs,
    position: { kind: 'helioprojective', x: xArcsec, y: yArcsec, atMs: peakMs },
    outlines: [],
    link: flare.link === '' ? null : { url: ARCHIVE + flare.link.replace(/^\/+/, ''), text: 'Full analysis' },
    views: () => [{ name: 'Main', content: raw }],
    raw,
  };
}
