// The walk of a series: all items of a range and the gaps between them, or the nearest one to each time of a cadence.
import { gapsAfter } from '../../archive/gaps.ts';
import { SECOND_MS } from '../../platform/util/durations.ts';
import { cadenceCount } from '../../sun/time.ts';

export interface SeriesRange {
  readonly startMs: number;
  readonly endMs: number;
  /** Null: every item. */
  readonly cadenceSeconds: number | null;
}

/** A time of a series, and its item; null in a gap. */
export interface Slot<Item> {
  readonly atMs: number;
  readonly item: Item | null;
}

export class SeriesWalk<Item> {
  readonly #items: Item[] = [];
  readonly #range: SeriesRange;
  readonly #timeOf: (item: Item) => number;

  constructor(range: SeriesRange, timeOf: (item: Item) => number) {
    this.#range = range;
    this.#timeOf = timeOf;
  }

  /** Items that are kept. */
  get length(): number {
    return this.#items.length;
  }

  /** The number of the time of the cadence that an item is nearest to: at most half of the cadence before it, less than half after it. */
  #numberOf(item: Item): number {
    return Math.round((this.#timeOf(item) - this.#range.startMs) / (this.#range.cadenceSeconds! * SECOND_MS));
  }

  #timeAt(number: number): number {
    return this.#range.startMs + number * this.#range.cadenceSeconds! * SECOND_MS;
  }

  /** Adds an item after those before it; with a cadence, the nearest to each time alone, of two equally near ones the earlier. */
  add(item: Item): void {
    const last = this.#items.at(-1);
    const number = this.#range.cadenceSeconds === null ? null : this.#numberOf(item);
    if (number !== null && last !== undefined && number === this.#numberOf(last)) {
      const distance = (one: Item) => Math.abs(this.#timeOf(one) - this.#timeAt(number));
      if (distance(item) >= distance(last)) return;
      this.#items.pop();
    }
    this.#items.push(item);
  }

  /** The items in time. A gap has the time at which it begins, or that of the cadence. */
  slots(): Slot<Item>[] {
    const slotOf = (item: Item) => ({ atMs: this.#timeOf(item), item });
    const { cadenceSeconds } = this.#range;
    if (cadenceSeconds !== null) {
      const byNumber = new Map(this.#items.map((item) => [this.#numberOf(item), item]));
      return Array.from({ length: cadenceCount(this.#range, cadenceSeconds) }, (_, number) => {
        const item = byNumber.get(number);
        return item === undefined ? { atMs: this.#timeAt(number), item: null } : slotOf(item);
      });
    }
    const gaps = gapsAfter(this.#items.map(this.#timeOf));
    return this.#items.flatMap((item, i) => {
      const gapMs = gaps.get(i);
      return [slotOf(item), ...(gapMs === undefined ? [] : [{ atMs: gapMs, item: null }])];
    });
  }
}
