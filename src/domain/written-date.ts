// Times as people write them. UTC unless they state an offset.
import { MINUTE_MS } from '../util/durations.ts';
import { dayMs } from './time.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const CLOCK = '(?:[T ,_]+(\\d{1,2}):?(\\d{2})?(?::?(\\d{2}(?:\\.\\d+)?))?)?';
const ZONE = '\\s*(Z|UTC?|GMT|UT|[+-]\\d{2}:?\\d{2}|[+-]\\d{2})?';

/** `2024-05-10`, `2024/5/10 12:15`, `2024.05.10T12:15:03+02:00`. */
const NUMERIC = new RegExp(`^(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})${CLOCK}${ZONE}$`, 'i');
/** `20240510`, `20240510_121503`. */
const COMPACT = new RegExp(`^(\\d{4})(\\d{2})(\\d{2})${CLOCK}${ZONE}$`, 'i');
/** `10 May 2024 12:15`, `10-May-2024`. */
const DAY_FIRST = new RegExp(`^(\\d{1,2})\\.?[ -]([a-z]{3,9})\\.?,?[ -](\\d{4})${CLOCK}${ZONE}$`, 'i');
/** `May 10, 2024 12:15`. */
const MONTH_FIRST = new RegExp(`^([a-z]{3,9})\\.? (\\d{1,2}),? (\\d{4})${CLOCK}${ZONE}$`, 'i');

interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly rest: readonly (string | undefined)[];
}

function monthNumber(name: string): number {
  return MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;
}

function partsOf(text: string): Parts | null {
  const numeric = NUMERIC.exec(text);
  if (numeric) return { year: Number(numeric[1]), month: Number(numeric[3]), day: Number(numeric[4]), rest: numeric.slice(5) };
  const compact = COMPACT.exec(text);
  if (compact) return { year: Number(compact[1]), month: Number(compact[2]), day: Number(compact[3]), rest: compact.slice(4) };
  const dayFirst = DAY_FIRST.exec(text);
  if (dayFirst) {
    const [, day, month, year] = dayFirst;
    return { year: Number(year), month: monthNumber(month!), day: Number(day), rest: dayFirst.slice(4) };
  }
  const monthFirst = MONTH_FIRST.exec(text);
  if (!monthFirst) return null;
  const [, month, day, year] = monthFirst;
  return { year: Number(year), month: monthNumber(month!), day: Number(day), rest: monthFirst.slice(4) };
}

/** Minutes east of UTC. */
function offsetMinutes(zone: string | undefined): number {
  const match = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone ?? '');
  if (!match) return 0;
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3] ?? 0));
}

/** Milliseconds since 1970, or null for text that names no existing time. */
export function parseWrittenDate(text: string): number | null {
  const parts = partsOf(text.trim().replace(/\s+/g, ' '));
  if (!parts) return null;
  const { year, month, day, rest } = parts;
  const [hour, minute, second] = rest.slice(0, 3).map((part) => Number(part ?? 0)) as [number, number, number];
  const dayStart = year >= 1000 ? dayMs(year, month, day) : null;
  if (dayStart === null || hour > 23 || minute > 59 || second >= 60) return null;
  return dayStart + (hour * 60 + minute - offsetMinutes(rest[3])) * MINUTE_MS + Math.floor(second * 1000);
}
