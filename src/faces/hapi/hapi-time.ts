// Times of HAPI (Heliophysics API 3.2, section 3.7.6): a subset of ISO 8601, truncated from the right, UTC also without the Z.
import { DAY_MS } from '../../platform/util/durations.ts';
import { clockMs, dayMs } from '../../sun/time.ts';

const DAY = /^(\d{4})(?:-(?:(\d{3})|(\d\d)(?:-(\d\d))?))?$/;
const CLOCK = /^(\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?$/;

/** Start of `2024-05-10`, `2024-131`, `2024-05` or `2024`; null for other text and for days that do not exist. */
function dayOf(text: string): number | null {
  const [, year, ofYear, month = '01', day = '01'] = DAY.exec(text) ?? [];
  if (year === undefined) return null;
  if (ofYear === undefined) return dayMs(Number(year), Number(month), Number(day));
  const start = dayMs(Number(year), 1, 1)!;
  const at = start + (Number(ofYear) - 1) * DAY_MS;
  return at >= start && at < dayMs(Number(year) + 1, 1, 1)! ? at : null;
}

/** Milliseconds after midnight, with microseconds as a fraction. */
function clockOf(text: string): number | null {
  const [, hour, minute = '0', second = '0', fraction] = CLOCK.exec(text) ?? [];
  return hour === undefined ? null : clockMs(Number(hour), Number(minute), Number(second), fraction);
}

/** Milliseconds since 1970; null for text in another form. A day is needed for a time of day. */
export function parseHapiTime(text: string): number | null {
  const [day = '', clock, ...rest] = text.replace(/Z$/, '').split('T');
  const startMs = dayOf(day);
  if (startMs === null || rest.length > 0) return null;
  if (clock === undefined) return startMs;
  const afterMs = /^\d{4}-(\d{3}|\d\d-\d\d)$/.test(day) ? clockOf(clock) : null;
  return afterMs === null ? null : startMs + afterMs;
}

export const HAPI_TIME_LENGTH = 27;

/** `2024-05-10T12:00:03.250000Z`: always with microseconds, because the times of a dataset have one length. */
export function formatHapiTime(ms: number): string {
  const microseconds = Math.round(ms * 1000);
  const wholeMs = Math.floor(microseconds / 1000);
  return `${new Date(wholeMs).toISOString().slice(0, -1)}${String(microseconds - wholeMs * 1000).padStart(3, '0')}Z`;
}
