// Dates of FITS headers and file names, and printed dates. Instants are milliseconds since 1970, UTC, with microseconds as a fraction.

const HEADER_DATE = /^(\d{4})[-/](\d\d)[-/](\d\d)(?:[T ](.+))?$/i;
const HEADER_CLOCK = /^(\d\d):(\d\d):(\d\d)(?:\.(\d*))?Z?$/i;

/** The instants that dates with years of four digits can state. */
export const DATE_RANGE_MS = { min: Date.parse('0000-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') } as const;

/** Whether an instant has a year of four digits. */
export const isDate = (ms: number): boolean => ms >= DATE_RANGE_MS.min && ms <= DATE_RANGE_MS.max;

/** Patterns of file names, in the order of attempts: archive, `YYYYMMDDTHHMMSS`, IRIS, PUNCH. */
const FILE_NAME_TIMES = [
  /(\d{4})_(\d\d)_(\d\d)__(\d\d)_(\d\d)_(\d\d)(?:_(\d{2,3})(?=__|\.|$))?/,
  /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{0,3})/,
  /(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)/,
  /(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/,
];

/** Milliseconds of the `digits` after the decimal point of a second; digits beyond the sixth are dropped. */
function fractionMs(digits: string | undefined): number {
  return Number((digits ?? '').slice(0, 6).padEnd(6, '0')) / 1000;
}

/** Start of a UTC day, or null for one that does not exist. */
export function dayMs(year: number, month: number, day: number): number | null {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : null;
}

/** Time of day in milliseconds, or null. `maxSecond` is 60 where leap seconds may occur. */
function clockMs(hour: number, minute: number, second: number, maxSecond: number): number | null {
  return hour < 24 && minute < 60 && second <= maxSecond ? ((hour * 60 + minute) * 60 + second) * 1000 : null;
}

/** The instant of a match with the groups year, month, day, hour, minute, second, fraction; the last two may be absent. */
export function instantOf(match: RegExpExecArray): number | null {
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((digits = '0') => Number(digits));
  const dayStart = dayMs(year!, month!, day!);
  const clock = clockMs(hour!, minute!, second!, 59);
  return dayStart === null || clock === null ? null : dayStart + clock + fractionMs(match[7]);
}

function headerClockMs(text: string): number | null {
  const match = HEADER_CLOCK.exec(text.trim());
  if (!match) return null;
  const clock = clockMs(Number(match[1]), Number(match[2]), Number(match[3]), 60);
  return clock === null ? null : clock + fractionMs(match[4]);
}

/** Parses a FITS date, completed by `clock` (`HH:MM:SS.f`) when it has no time of day. Null without a complete instant. */
export function parseHeaderDate(text: string, clock?: string): number | null {
  const match = HEADER_DATE.exec(text.trim());
  if (!match) return null;
  const timeOfDay = match[4] ?? clock;
  if (timeOfDay === undefined) return null;
  const dayStart = dayMs(Number(match[1]), Number(match[2]), Number(match[3]));
  const clockPart = headerClockMs(timeOfDay);
  return dayStart === null || clockPart === null ? null : dayStart + clockPart;
}

/**
 * Start of the observation: DATE-OBS or DATE_OBS with a time of day, else one of them (a date alone in old SOHO headers) combined
 * with TIME-OBS or TIME_OBS. Null when the header has neither.
 */
export function observationTime(header: ReadonlyMap<string, string>): number | null {
  const dates = [header.get('DATE-OBS'), header.get('DATE_OBS')].filter((text) => text !== undefined);
  const clocks = [undefined, header.get('TIME-OBS'), header.get('TIME_OBS')].filter((text, i) => i === 0 || text !== undefined);
  for (const clock of clocks) {
    for (const date of dates) {
      const instant = parseHeaderDate(date, clock);
      if (instant !== null) return instant;
    }
  }
  return null;
}

/** The instant in the name of an archive file, or null. A fraction of two digits is in hundredths. */
export function fileNameTime(fileName: string): number | null {
  for (const pattern of FILE_NAME_TIMES) {
    const match = pattern.exec(fileName);
    if (match) return instantOf(match);
  }
  return null;
}

/** Offset of the last microsecond of a second. */
const LAST_OF_SECOND_MS = 999.999;

/**
 * The inclusive end of a time range that ends at `ms`. A whole second includes all of its fractions, because times are shown
 * without fractions: a range that ends at the shown time of an image then includes the image.
 */
export function throughSecond(ms: number): number {
  return ms % 1000 === 0 ? ms + LAST_OF_SECOND_MS : ms;
}

function isoSeconds(ms: number): string {
  return new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19);
}

/** `YYYY-MM-DD HH:MM:SS`, rounded down. */
export function formatDateTime(ms: number): string {
  return isoSeconds(ms).replace('T', ' ');
}

/** `YYYY-MM-DDTHH:MM:SSZ`, rounded down. */
export function formatIso(ms: number): string {
  return `${isoSeconds(ms)}Z`;
}

/** `YYYY-MM-DDTHH:MM:SS.mmmZ`, with six decimals for an instant that has microseconds. */
export function formatExact(ms: number): string {
  const microseconds = Math.round(ms * 1000);
  const seconds = Math.floor(microseconds / 1e6);
  const fraction = String(microseconds - seconds * 1e6).padStart(6, '0');
  return `${isoSeconds(seconds * 1000)}.${fraction.endsWith('000') ? fraction.slice(0, 3) : fraction}Z`;
}

/** `['2021', '06', '01']`: the UTC day, as in archive directories. */
export function dayParts(ms: number): readonly [string, string, string] {
  const [year, month, day] = isoSeconds(ms).slice(0, 10).split('-');
  return [year!, month!, day!];
}
