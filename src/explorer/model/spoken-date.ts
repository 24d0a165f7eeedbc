// Times as people write them beside dates: `now`, `yesterday 14:30`, `-3h`, `3 hours ago`, `14:30`, `10.05.2024`, `10 de mayo de 2024`.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/util/durations.ts';
import { dayStart, isDate, parseWrittenDate } from '../../sun/time.ts';

interface SpokenContext {
  readonly nowMs: number;
  /** The time that is shown, to which signed distances and times of day refer. */
  readonly atMs: number;
  /** Whether `5/10/2024` is the tenth of May, as in the United States. */
  readonly isMonthFirst: boolean;
}

const NEWEST = /^(?:now|newest|latest|jetzt|neuestes?|maintenant|ahora|ahorita)$/;
const TODAY = ['today', 'heute', 'aujourd’hui', "aujourd'hui", 'hoy'];
const YESTERDAY = ['yesterday', 'gestern', 'hier', 'ayer'];
const DAY_WORD = new RegExp(`^(${[...TODAY, ...YESTERDAY].join('|')})(?:[ ,]+(.+))?$`);

/** Names of units without a plural ending, longest lengths last. */
const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:s|secs?|seconds?|sekunden?|secondes?|segundos?)$/, SECOND_MS],
  [/^(?:m|min|mins|minutes?|minuten?|minutos?)$/, MINUTE_MS],
  [/^(?:h|hrs?|hours?|std|stunden?|heures?|horas?)$/, HOUR_MS],
  [/^(?:d|days?|t|tag|tagen?|j|jours?|d[ií]as?)$/, DAY_MS],
  [/^(?:w|weeks?|wochen?|semaines?|semanas?)$/, 7 * DAY_MS],
];

const AMOUNT = '(\\d{1,6}(?:[.,]\\d{1,3})?) ?([a-zí]+)';
const SIGNED = new RegExp(`^([+\\-−–]) ?${AMOUNT}$`);
const AGO = new RegExp(`^(?:${AMOUNT} ago|(?:vor|il y a|hace) ${AMOUNT})$`);
const CLOCK = /^(\d{1,2})(?::|h)(\d{2})(?::(\d{2}))?(?: ?(?:utc|z|uhr))?$/;
const NUMERIC = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:[ ,]+(?:um |à |a las )?(.+))?$/;
const PARTICLES = /^(?:de|del|of|the|le|el|den|am|um|à|a|las)$/;

/** English beginnings of months by their names in the languages of the page. */
const MONTHS: ReadonlyMap<string, string> = new Map(
  [
    ['jan', 'januar jänner jan janvier janv enero ene'],
    ['feb', 'februar feb février fevrier févr fevr febrero'],
    ['mar', 'märz maerz mär mars marzo'],
    ['apr', 'april avril avr abril abr'],
    ['may', 'mai mayo'],
    ['jun', 'juni juin junio'],
    ['jul', 'juli juillet juil julio'],
    ['aug', 'august août aout agosto ago'],
    ['sep', 'september septembre sept septiembre setiembre'],
    ['oct', 'oktober okt octobre octubre'],
    ['nov', 'november novembre noviembre'],
    ['dec', 'dezember dez décembre decembre déc diciembre dic'],
  ].flatMap(([english, names]) => names!.split(' ').map((name) => [name, english!] as const)),
);

function lengthMs(amount: string, unit: string): number | null {
  const [, ms] = UNITS.find(([names]) => names.test(unit)) ?? [];
  return ms === undefined ? null : Number(amount.replace(',', '.')) * ms;
}

/** The time of a day that is stated, on the day of `onMs`; null for other text. */
function clockOn(onMs: number, text: string): number | null {
  const [, hour, minute, second = '0'] = CLOCK.exec(text) ?? [];
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  return dayStart(onMs) + Number(hour) * HOUR_MS + Number(minute) * MINUTE_MS + Number(second) * SECOND_MS;
}

function distant(text: string, { nowMs, atMs }: SpokenContext): number | null {
  const signed = SIGNED.exec(text);
  if (signed) {
    const ms = lengthMs(signed[2]!, signed[3]!);
    return ms === null ? null : atMs + (signed[1] === '+' ? ms : -ms);
  }
  const ago = AGO.exec(text);
  const ms = ago && lengthMs((ago[1] ?? ago[3])!, (ago[2] ?? ago[4])!);
  return ms === null ? null : nowMs - ms;
}

/** Day and month in the order of the language, unless one of them can be only a day. */
function numericDate(text: string, { isMonthFirst }: SpokenContext): number | null {
  const [, first, separator, second, year, rest = ''] = NUMERIC.exec(text) ?? [];
  if (first === undefined) return null;
  const isSwapped = (separator === '/' && isMonthFirst && Number(first) <= 12) || Number(second) > 12;
  const [day, month] = isSwapped ? [second, first] : [first, second];
  return parseWrittenDate(`${year}-${month}-${day} ${rest}`);
}

/** A date with the name of its month in a language of the page, in the order of the languages. */
function namedDate(text: string): number | null {
  const words = text
    .replace(/(\d)(?:er|\.)(?= )/g, '$1')
    .split(/[ ,]+/)
    .filter((word) => !PARTICLES.test(word))
    .map((word) => MONTHS.get(word.replace(/\.$/, '')) ?? word);
  return parseWrittenDate(words.join(' '));
}

function spokenMs(text: string, context: SpokenContext): number | null {
  const [, word, time] = DAY_WORD.exec(text) ?? [];
  if (word !== undefined) {
    const dayMs = dayStart(context.nowMs) - (YESTERDAY.includes(word) ? DAY_MS : 0);
    return time === undefined ? dayMs : clockOn(dayMs, time);
  }
  return distant(text, context) ?? clockOn(context.atMs, text) ?? numericDate(text, context) ?? namedDate(text);
}

/** A time as people write it: milliseconds since 1970, `newest`, or null for other text. Without an offset it is UTC. */
export function parseSpokenDate(given: string, context: SpokenContext): number | 'newest' | null {
  const text = given.trim().replace(/\s+/g, ' ');
  const lower = text.toLowerCase().normalize('NFC');
  if (NEWEST.test(lower)) return 'newest';
  const atMs = parseWrittenDate(text) ?? spokenMs(lower, context);
  return atMs === null || !isDate(atMs) ? null : Math.floor(atMs);
}
