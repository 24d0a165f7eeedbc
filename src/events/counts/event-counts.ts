// Numbers of events by type and recognition method, counted by day and added up to months: the timeline of events beyond ten days.
import { canonicalSelection } from '../../picture/events/selection.ts';
import { bracketGroups, withoutTrailingCommas } from '../../picture/notation.ts';
import type { EventSelection, SourceSelection } from '../../picture/picture.ts';
import { EVENT_COUNTS, EVENT_DAYS } from '../../platform/limits/events.ts';
import { DAY_MS, HOUR_MS } from '../../platform/util/durations.ts';
import { binStart, type DayResolution, nextBin, type TimeRange } from '../../sun/bins.ts';
import { type EventSource, findEventType, matchKey, PATH_SEPARATOR, typeNamed, typesOf } from '../../sun/events/event-types.ts';
import type { SolarEvent } from '../../sun/events/solar-event.ts';

const MAX_CHARACTERS = 10_000;

const methodKey = (name: string): string => matchKey(name).slice(0, EVENT_COUNTS.methodCharacters);

/** The chosen events, without unknown pins (clients send `undefined` for a source). @throws Failure for `eventLayers` without groups */
export function parseCoverageEvents(text: string): EventSelection {
  const notation = { parameter: 'eventLayers', example: '[FL,all,1]', maxCharacters: MAX_CHARACTERS };
  const selections = bracketGroups(withoutTrailingCommas(text), notation).flatMap((group): SourceSelection[] => {
    const type = findEventType(group[0] ?? '');
    if (!type || group.length < 3 || group.at(-1) === '0') return [];
    const methods = group.slice(1, -1).join(',').split(';').map(methodKey);
    const paths = methods.includes('all') ? [[type.concept]] : methods.map((method) => [type.concept, method]);
    return [{ source: type.source, labels: false, notation: 'pins', paths }];
  });
  return canonicalSelection(selections);
}

/** Events of a pin, of one method where `method` is a key of `methodKey`. */
export type CountedKind = { readonly source: EventSource; readonly pin: string; readonly method: string | null };

/** The kinds of a selection. Single events are left out, because counts do not have them. */
export const countedKinds = (selection: EventSelection): CountedKind[] =>
  selection.flatMap(({ source, paths }) =>
    paths.flatMap(([concept, ...names]) => {
      if (names.length > (source === 'WSA' ? 2 : 1)) return [];
      const types = typesOf(source).filter((type) => !concept || type === typeNamed(source, concept));
      return types.map(({ pin }) => ({ source, pin, method: names.length ? methodKey(names.join(PATH_SEPARATOR)) : null }));
    }),
  );

/** Events of a type and a method in a span of days. A sum over adjacent spans takes `continuing` of the first, and `begun` of all. */
export interface EventCount extends Pick<SolarEvent, 'pin' | 'type'> {
  /** Key of the name of the method; empty for the methods beyond `EVENT_COUNTS.kindsOfDay`. */
  readonly method: string;
  /** In progress at the start of the span, and begun before it. */
  readonly continuing: number;
  readonly begun: number;
}

export type CountedDay = { readonly dayMs: number; readonly dueAtMs: number; readonly counts: readonly EventCount[] };

export type DayWindow = { readonly dayMs: number; readonly days: number };

/** Spans in which counts are stored: days, and months for long ranges. */
export type CountedSpan = 'D' | 'M';

export const spanOf = (resolution: DayResolution): CountedSpan => (resolution === 'M' || resolution === 'Y' ? 'M' : 'D');

/** The days of a range on which sources may have events, without its end. */
export function countableDays({ startMs, endMs }: TimeRange, nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  const lastMs = binStart('D', nowMs) + (EVENT_DAYS.daysAhead + 1) * DAY_MS;
  const fromMs = Math.max(binStart('D', startMs), EVENT_DAYS.first);
  return { fromMs, toMs: Math.max(fromMs, Math.min(nextBin('D', binStart('D', endMs - 1)), lastMs)) };
}

export function countableDayCount(range: TimeRange, nowMs: number): number {
  const { fromMs, toMs } = countableDays(range, nowMs);
  return (toMs - fromMs) / DAY_MS;
}

type Tally = { -readonly [Key in keyof EventCount]: EventCount[Key] };

/** The most frequent kinds; the others of a type are added up without the names of their methods. */
function bounded(tallies: readonly Tally[]): readonly Tally[] {
  if (tallies.length <= EVENT_COUNTS.kindsOfDay) return tallies;
  const size = ({ continuing, begun }: Tally) => continuing + begun;
  const sorted = tallies.toSorted((a, b) => size(b) - size(a));
  const rest = new Map<string, Tally>();
  for (const { pin, type, continuing, begun } of sorted.splice(EVENT_COUNTS.kindsOfDay)) {
    const sum = rest.get(`${pin} ${type}`) ?? { pin, type, method: '', continuing: 0, begun: 0 };
    rest.set(`${pin} ${type}`, { ...sum, continuing: sum.continuing + continuing, begun: sum.begun + begun });
  }
  return [...sorted, ...rest.values()];
}

/** Counts the events of each day of a window. `events`: all that are in progress during the window, each once. */
export function countDays(events: readonly SolarEvent[], { dayMs, days }: DayWindow, nowMs: number): CountedDay[] {
  const tallies = Array.from({ length: days }, () => new Map<string, Tally>());
  for (const { pin, type, group, startMs, endMs } of events) {
    const method = methodKey(group.name);
    const first = Math.max(0, Math.floor((startMs - dayMs) / DAY_MS));
    const last = Math.min(days - 1, Math.floor((endMs - dayMs) / DAY_MS));
    for (let day = first; day <= last; day += 1) {
      const key = `${pin} ${type} ${method}`;
      const tally = tallies[day]!.get(key) ?? { pin, type, method, continuing: 0, begun: 0 };
      if (startMs < dayMs + day * DAY_MS) tally.continuing += 1;
      else tally.begun += 1;
      tallies[day]!.set(key, tally);
    }
  }
  return tallies.map((ofDay, i) => {
    const atMs = dayMs + i * DAY_MS;
    // After as much time as the day is old, because sources add and correct records of recent days.
    return { dayMs: atMs, dueAtMs: nowMs + Math.max(HOUR_MS, nowMs - atMs), counts: bounded([...ofDay.values()]) };
  });
}

/** The window of due days to load next: those beside the due day nearest to `targetMs`, away from it, at most `most` of them. */
export function nextWindow(due: ReadonlySet<number>, targetMs: number, most: number): DayWindow {
  let nearest = Number.POSITIVE_INFINITY;
  for (const dayMs of due) if (Math.abs(dayMs - targetMs) < Math.abs(nearest - targetMs)) nearest = dayMs;
  const step = nearest >= targetMs ? DAY_MS : -DAY_MS;
  let last = nearest;
  let days = 1;
  for (; days < most && due.has(last + step); days += 1) last += step;
  return { dayMs: Math.min(nearest, last), days };
}
