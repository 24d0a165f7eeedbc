// Counts of events: days without counts are loaded from their sources by the clock, and by timelines that show them.
import { EVENT_COUNTS, EVENT_DAYS, EVENT_REQUESTS, EVENT_TTL_MS } from '../../platform/limits/events.ts';
import type { Clock, Log, WaitUntil } from '../../platform/ports/timing.ts';
import { DAY_MS, MINUTE_MS } from '../../platform/util/durations.ts';
import { boundedMap } from '../../platform/util/memory-budget.ts';
import { TIMED_OUT, withTimeout } from '../../platform/util/retry.ts';
import { Service } from '../../platform/util/service.ts';
import { SingleFlight } from '../../platform/util/single-flight.ts';
import { binStart, countedBins, type DayResolution, nextBin, type TimeRange } from '../../sun/bins.ts';
import { EVENT_SOURCES, type EventSource, findEventType } from '../../sun/events/event-types.ts';
import type { SolarEvent } from '../../sun/events/solar-event.ts';
import type { D1EventCounts } from '../d1-event-counts.ts';
import type { EventDays, SourceState } from '../event-days.ts';
import type { EventFeed } from '../ports.ts';
import type { CountedKind, DayWindow } from './event-counts.ts';
import { countableDayCount, countableDays, countDays, nextWindow, spanOf } from './event-counts.ts';
import type { CountedBins } from './event-series.ts';

export interface CountingPorts {
  readonly feeds: readonly EventFeed[];
  readonly counts: D1EventCounts;
  readonly clock: Clock;
  readonly log: Log;
  readonly days: Pick<EventDays<SolarEvent>, 'window'>;
}

interface Order {
  readonly range: TimeRange;
  /** Days near this time are counted first. */
  readonly targetMs: number;
  readonly loads: number;
  readonly deadlineMs: number;
  /** Age from which the counts of a day that was not over are counted again before they are due. */
  readonly openMs: number;
  readonly waitUntil?: WaitUntil | undefined;
}

/** Part of the limits that a window is sized for, because the next days may have more records. */
const FILL = 0.7;
/** Factor by which a window shrinks that was too large for its source or for the limit of records. */
const SHRINK = 4;

/** Milliseconds without a new attempt at a failed day, so that it holds up no other days. */
const FAILED_DAY_MS = 10 * MINUTE_MS;
const MAX_FAILED_DAYS = 500;

interface WindowSize {
  readonly next: number;
  /** Less than `EVENT_COUNTS.windowDays` after a failure. */
  readonly most: number;
}

const FIRST_SIZE: WindowSize = { next: EVENT_COUNTS.firstWindowDays, most: EVENT_COUNTS.windowDays };

function stateOf(source: EventSource, failed: readonly EventFeed[], days: NonNullable<SourceState['days']>): SourceState {
  const isComplete = days.counted >= days.all;
  return {
    source,
    state: failed.length > 0 ? 'failed' : isComplete ? 'ok' : 'partial',
    ageSeconds: null,
    loadedAtMs: null,
    missing: failed.map(({ name }) => name),
    skipped: 0,
    isCut: false,
    days,
  };
}

export class EventCounting extends Service<CountingPorts> {
  readonly #sizes = new Map<string, WindowSize>();
  /** Times of the failures of single days, by feed and day. */
  readonly #failures = boundedMap<{ readonly atMs: number }>(MAX_FAILED_DAYS);
  /** Loads by feed: an isolate loads one window of a feed at a time. */
  readonly #loading = new SingleFlight<DayWindow | null>(2 * EVENT_REQUESTS.dayMs);

  counts(pin: string): boolean {
    return this.#feedsOf(pin).length > 0;
  }

  /** For each pin or type, the last counted day before `beforeMs` on which an event began; null without one. */
  lastBegun(of: readonly { pin: string; type: string | null }[], beforeMs: number): Promise<readonly (number | null)[]> {
    const withFeeds = of.map(({ pin, type }) => ({ pin, type, feeds: this.#feedsOf(pin).map(({ name }) => name) }));
    return this.ports.counts.lastBegun(withFeeds, beforeMs);
  }

  #feedsOf(pin: string): readonly EventFeed[] {
    const source = findEventType(pin)?.source;
    return this.ports.feeds.filter((feed) => feed.source === source && (feed.pin === undefined || feed.pin === pin));
  }

  /** The chosen events in the bins of a range. Counts some of its days first, if they have no counts. */
  async timeline(
    chosen: readonly CountedKind[],
    { range, resolution }: { readonly range: TimeRange; readonly resolution: DayResolution },
    waitUntil?: WaitUntil,
  ): Promise<{ readonly bins: CountedBins; readonly states: readonly SourceState[] }> {
    const { clock, counts: stored } = this.ports;
    const kindsOf = (feed: EventFeed) =>
      chosen.filter(({ source, pin }) => source === feed.source && (feed.pin === undefined || feed.pin === pin));
    const feeds = this.ports.feeds.filter((feed) => kindsOf(feed).length > 0);
    const bins = countedBins(resolution, range);
    const { loads, ms } = EVENT_COUNTS.timeline;
    const failed = await this.#count(feeds, {
      range: { startMs: bins[0]![0], endMs: bins.at(-1)![1] },
      targetMs: Math.min((range.startMs + range.endMs) / 2, clock()),
      loads,
      deadlineMs: clock() + ms,
      openMs: EVENT_TTL_MS.today,
      waitUntil,
    });
    const kinds = feeds.flatMap((feed) => kindsOf(feed).map(({ pin, method }) => ({ feed: feed.name, pin, method })));
    const { known, counts } = await stored.add(kinds, bins, spanOf(resolution));
    const countable = bins.map(([startMs, endMs]) => countableDayCount({ startMs, endMs }, clock()));
    const counted = new Map(known.map(({ feed, startMs, days }) => [`${feed} ${startMs}`, days]));
    const daysOf = (feed: EventFeed, bin: number) => counted.get(`${feed.name} ${bins[bin]![0]}`) ?? 0;
    const all = countable.reduce((sum, days) => sum + days, 0);
    const states = EVENT_SOURCES.flatMap((source) => {
      const ofSource = feeds.filter((feed) => feed.source === source);
      if (ofSource.length === 0) return [];
      const daysOfFeeds = ofSource.map((feed) => bins.reduce((sum, _, bin) => sum + daysOf(feed, bin), 0));
      const failedFeeds = ofSource.filter((feed) => failed.has(feed));
      return [stateOf(source, failedFeeds, { counted: Math.min(...daysOfFeeds), all })];
    });
    return {
      bins: {
        resolution,
        starts: bins.map(([startMs]) => startMs),
        known: countable.map((days, bin) =>
          days === 0 || feeds.length === 0 ? 1 : feeds.reduce((sum, feed) => sum + daysOf(feed, bin), 0) / (days * feeds.length),
        ),
        counts,
      },
      states,
    };
  }

  /** Counts days for later timelines, the newest first. */
  async byClock(): Promise<void> {
    const { loads, ms } = EVENT_COUNTS.clock;
    const nowMs = this.ports.clock();
    const endMs = nowMs + (EVENT_DAYS.daysAhead + 1) * DAY_MS;
    const range = { startMs: EVENT_DAYS.first, endMs };
    const openMs = Number.POSITIVE_INFINITY;
    await this.#count(this.ports.feeds, { range, targetMs: endMs, loads, deadlineMs: nowMs + ms, openMs });
  }

  async #count(feeds: readonly EventFeed[], order: Order): Promise<ReadonlySet<EventFeed>> {
    const failed = new Set<EventFeed>();
    await Promise.all(feeds.map(async (feed) => ((await this.#countFeed(feed, order)) ? null : failed.add(feed))));
    return failed;
  }

  /** @returns whether no load failed, and no due day is left out because it has failed: those are tried again once no other is due */
  async #countFeed(feed: EventFeed, order: Order): Promise<boolean> {
    const { targetMs, loads, deadlineMs, waitUntil } = order;
    const all = await this.#dueDays(feed, order);
    const others = [...all].filter((dayMs) => !this.#hasFailed(feed, dayMs));
    const due = new Set(others.length > 0 ? others : all);
    const isWhole = due.size === all.size;
    for (let load = 0; load < loads && due.size > 0; load += 1) {
      const leftMs = deadlineMs - this.ports.clock();
      if (leftMs <= 0) break;
      const loading = this.#loading.run(feed.name, () => this.#countWindow(feed, due, targetMs));
      waitUntil?.(loading);
      const counted = await withTimeout(loading, leftMs);
      if (counted === TIMED_OUT) break;
      if (counted === null) return false;
      for (let i = 0; i < counted.days; i += 1) due.delete(counted.dayMs + i * DAY_MS);
    }
    return isWhole;
  }

  #hasFailed({ name }: EventFeed, dayMs: number): boolean {
    const failure = this.#failures.get(`${name} ${dayMs}`);
    return failure !== undefined && this.ports.clock() - failure.atMs < FAILED_DAY_MS;
  }

  /** The days of the range that have no counts or old ones, in the months nearest to the target. */
  async #dueDays(feed: EventFeed, { range, targetMs, loads, openMs }: Order): Promise<Set<number>> {
    const nowMs = this.ports.clock();
    const { fromMs, toMs } = countableDays(range, nowMs);
    const known = new Map((await this.ports.counts.months(feed.name, fromMs, toMs)).map((month) => [month.startMs, month]));
    const months: number[] = [];
    for (let ms = binStart('M', fromMs); ms < toMs; ms = nextBin('M', ms)) {
      const endMs = nextBin('M', ms);
      const month = known.get(ms);
      const isComplete = month?.days === countableDayCount({ startMs: ms, endMs }, nowMs);
      const mayBeOpen = Number.isFinite(openMs) && month !== undefined && month.countedAtMs < endMs;
      if (!isComplete || month.dueAtMs <= nowMs || mayBeOpen) months.push(ms);
    }
    const distance = (ms: number) => Math.abs(ms - targetMs);
    const chosen = months.sort((a, b) => distance(a) - distance(b)).slice(0, loads + 2);
    const counted = new Map((await this.ports.counts.daysOf(feed.name, chosen)).map((day) => [day.startMs, day]));
    const isDue = (ms: number): boolean => {
      const day = counted.get(ms);
      const wasOpen = day !== undefined && day.countedAtMs < ms + DAY_MS;
      return !day || day.dueAtMs <= nowMs || (wasOpen && nowMs - day.countedAtMs >= openMs);
    };
    const due = new Set<number>();
    for (const month of chosen) {
      const days = countableDays({ startMs: Math.max(month, fromMs), endMs: Math.min(nextBin('M', month), toMs) }, nowMs);
      for (let ms = days.fromMs; ms < days.toMs; ms += DAY_MS) if (isDue(ms)) due.add(ms);
    }
    return due;
  }

  /** @returns the days that were counted, none of them for a window that was too large; null when the source failed */
  async #countWindow(feed: EventFeed, due: ReadonlySet<number>, targetMs: number): Promise<DayWindow | null> {
    const { clock, counts, log } = this.ports;
    const size = this.#sizes.get(feed.name) ?? FIRST_SIZE;
    const window = nextWindow(due, targetMs, size.next);
    const startMs = clock();
    const epoch = feed.isLocal ? await counts.epoch(feed.name) : null;
    const loaded = await this.ports.days.window(feed, window);
    if (loaded === null) return null;
    if (loaded === 'failed' && window.days === 1) {
      // The day is at fault, and not the length of the windows that had it.
      this.#failures.set(`${feed.name} ${window.dayMs}`, { atMs: clock() });
      this.#sizes.set(feed.name, { ...FIRST_SIZE, next: 1 });
      return null;
    }
    if (loaded === 'failed' || (loaded.isCut && window.days > 1)) {
      const next = Math.ceil(window.days / SHRINK);
      this.#sizes.set(feed.name, { next, most: loaded === 'failed' ? next : size.most });
      return { ...window, days: 0 };
    }
    const nowMs = clock();
    try {
      await counts.keep(feed.name, countDays(loaded.events, window, nowMs), nowMs, epoch);
    } catch (error) {
      log({ events: feed.name, counts: String(error) });
      return null;
    }
    const parts = [loaded.events.length / EVENT_REQUESTS.records, (nowMs - startMs) / EVENT_COUNTS.windowMs];
    const fitting = Math.floor((FILL * window.days) / Math.max(...parts, Number.EPSILON));
    this.#sizes.set(feed.name, { ...size, next: Math.min(Math.max(1, fitting), size.most) });
    return window;
  }
}
