// The X-ray flux over a range, from days that are kept like those of events.
import { EVENT_RANGE, XRAY_FLUX } from '../platform/limits/events.ts';
import type { WaitUntil } from '../platform/ports/timing.ts';
import { DAY_MS } from '../platform/util/durations.ts';
import { Service } from '../platform/util/service.ts';
import { DAY_MINUTES, fluxBins, type XrayDay } from '../sun/events/x-ray-flux.ts';
import { type DayPorts, EventDays, type ItemKind } from './event-days.ts';
import type { DayFeed } from './ports.ts';

/** A number of a list takes 8 bytes, or 16 as an object. */
const DAY_BYTES = 16 * DAY_MINUTES;

const XRAY_KIND: ItemKind<XrayDay> = { keyOf: ({ dayMs }) => String(dayMs), bytesOf: () => DAY_BYTES };

export class XrayFlux extends Service<DayPorts & { readonly feed: DayFeed<XrayDay> }> {
  readonly #days = new EventDays({ ...this.ports, kind: XRAY_KIND });

  /** The flux of at most XRAY_FLUX.days. Never throws: days that are not loaded in time are missing, and there for a later request. */
  async between(startMs: number, endMs: number, waitUntil?: WaitUntil) {
    const found: XrayDay[] = [];
    const missingDays: number[] = [];
    let isFresh = true;
    const loadDay = async (dayMs: number, timeoutMs: number) => {
      const result = await this.#days.dayWithin(timeoutMs, this.ports.feed, dayMs, waitUntil);
      const [day] = result?.day.events ?? [];
      if (day) found.push(day);
      else missingDays.push(dayMs);
      isFresh &&= result?.isFresh ?? false;
    };
    await this.#days.inTurn(this.#daysOf(startMs, endMs), EVENT_RANGE.lookupMs, loadDay);
    return { ...fluxBins(found, startMs, endMs, XRAY_FLUX.bins), missingDays: missingDays.sort((a, b) => a - b), isFresh };
  }

  /** The UTC days of a range, without those before the first measurement and after today. */
  #daysOf(startMs: number, endMs: number): number[] {
    const first = Math.floor(Math.max(startMs, XRAY_FLUX.first) / DAY_MS);
    const last = Math.floor(Math.min(endMs, this.ports.clock()) / DAY_MS);
    return Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => (first + i) * DAY_MS);
  }
}
