// Events of the Heliophysics Event Knowledgebase, from the columns of its search (Heliophysics Events Registry, VOEvent 1.1).
import { DAY_MS } from '../../util/durations.ts';
import { findEventType } from '../recipe/events/pins.ts';
import { locationOf, parseOutlines } from './coordinate-text.ts';
import { hekLabelParts } from './hek-label.ts';
import { addressOf, dateOf, dateWithin, numberOf, type RawRecord, recordsOf, textOf } from './record.ts';
import type { EventPlace, EventView, SolarEvent } from './solar-event.ts';

const RECORD_PAGE = 'https://www.lmsal.com/hek/her?cmd=view-voevent&ivorn=';

/** Version of the emerging flux module before which places refer to the peak. */
const EMERGING_FLUX_VERSION = 0.55;

/** Limit of plausible places, equal to that of the search. */
const FARTHEST_ARCSEC = 30_000;

/** Tolerance of peaks before the start and after the end, because some methods round times to days. */
const PEAK_SLACK_DAYS = 1;

/**
 * Days after the start of an event within which its place may have been measured. After half a rotation everything has left the
 * disk, so later ends and peaks are errors.
 */
const MEASURED_WITHIN_DAYS = 14;

const isTest = (record: RawRecord) => textOf(record, 'event_testflag').toLowerCase() === 'true';

interface Times {
  readonly startMs: number;
  readonly endMs: number;
  readonly peakMs: number | null;
}

/** Time at which the place of an event was measured. */
function placedAt(record: RawRecord, pin: string, { startMs, endMs, peakMs }: Times): number {
  const method = textOf(record, 'frm_name');
  if (/SPoCA/i.test(method)) return endMs - startMs <= MEASURED_WITHIN_DAYS * DAY_MS ? endMs : startMs;
  if (pin === 'FL') return peakMs ?? startMs;
  const version = Number.parseFloat(textOf(record, 'frm_versionnumber'));
  const isOldEmergingFlux = pin === 'EF' && /emerging flux/i.test(method) && version < EMERGING_FLUX_VERSION;
  return isOldEmergingFlux ? (peakMs ?? startMs) : startMs;
}

function peakOf(record: RawRecord, startMs: number, endMs: number): number | null {
  const lastMs = Math.min(endMs + PEAK_SLACK_DAYS * DAY_MS, startMs + MEASURED_WITHIN_DAYS * DAY_MS);
  return dateWithin(record, 'event_peaktime', startMs - PEAK_SLACK_DAYS * DAY_MS, lastMs);
}

/** From hpc_x and hpc_y, else from hgs_x and hgs_y; null without either. */
function placeOf(record: RawRecord, atMs: number): EventPlace | null {
  const [x, y] = [numberOf(record, 'hpc_x'), numberOf(record, 'hpc_y')];
  if (x !== null && y !== null && Math.hypot(x, y) <= FARTHEST_ARCSEC) return { kind: 'helioprojective', x, y, atMs };
  const location = locationOf(numberOf(record, 'hgs_y'), numberOf(record, 'hgs_x'));
  return location && { kind: 'stonyhurst', ...location, atMs };
}

function columns(record: RawRecord, prefixes: readonly string[]): Record<string, unknown> {
  const chosen = Object.entries(record).filter(
    ([name, value]) => value !== null && value !== '' && prefixes.some((prefix) => name.startsWith(prefix)),
  );
  return Object.fromEntries(chosen);
}

function references(record: RawRecord): Record<string, unknown> {
  return Object.fromEntries(
    recordsOf(record, 'refs').map((ref, i) => [
      textOf(ref, 'ref_name') || `Reference ${i + 1}`,
      { type: textOf(ref, 'ref_type'), url: addressOf(textOf(ref, 'ref_url')) ?? '' },
    ]),
  );
}

function viewsOf(record: RawRecord, concept: string, type: string): EventView[] {
  const own = type === 'CE' ? 'cme_' : `${type.toLowerCase()}_`;
  const views = [
    { name: concept, content: { concept, ...columns(record, [own, 'event_', 'kb_']) } },
    { name: 'Observation', content: columns(record, ['obs_']) },
    { name: 'Recognition Method', content: columns(record, ['frm_']) },
    { name: 'References', content: references(record) },
    { name: '(All)', content: record },
  ];
  return views.filter(({ content }) => Object.keys(content).length > 0);
}

/** The event of a record; null for tests, types without a category, and records without id, time or place. */
export function hekEvent(record: RawRecord): SolarEvent | null {
  const pin = textOf(record, 'event_type');
  const category = findEventType(pin);
  const id = textOf(record, 'kb_archivid');
  const startMs = dateOf(record, 'event_starttime');
  // NR, "nothing reported", is not an event.
  if (category?.source !== 'HEK' || pin === 'NR' || isTest(record) || id === '' || startMs === null) return null;
  const endMs = Math.max(startMs, dateOf(record, 'event_endtime') ?? startMs);
  const peakMs = peakOf(record, startMs, endMs);
  const place = placeOf(record, placedAt(record, pin, { startMs, endMs, peakMs }));
  if (!place) return null;
  const label = hekLabelParts(record, category.concept).map(([, text]) => text);
  return {
    source: 'HEK',
    pin,
    type: pin,
    group: {
      name: textOf(record, 'frm_name') || 'Unknown',
      contact: textOf(record, 'frm_contact'),
      url: addressOf(textOf(record, 'frm_url')) ?? '',
    },
    id,
    version: textOf(record, 'frm_specificid'),
    label: label.join('\n'),
    shortLabel: label.join(' '),
    startMs,
    endMs,
    peakMs,
    place,
    // Lazy, like the views: a day has a thousand events, most of which are never displayed.
    get outlines() {
      return place.kind === 'helioprojective' ? parseOutlines(textOf(record, 'hpc_boundcc')) : [];
    },
    link: { url: RECORD_PAGE + encodeURIComponent(id), text: 'HEK Archive Link' },
    get views() {
      return viewsOf(record, category.concept, pin);
    },
    raw: record,
  };
}
