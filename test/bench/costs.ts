// `npm run bench -- costs`: what a month of a workload costs, and the worst minute of one address, a network and a location, from counted
// requests, reads, rows and processor time. The tables of docs/operate.md are made of it, which test/unit/costs-in-docs.test.ts compares.
import { dollarsOf, SHARED_LIMITS } from '../../src/cli/docs.ts';
import { COSTS, RATES, type Usage } from '../../src/platform/limits/admission.ts';
import { COUNTED, MOVIE } from './counted.ts';
import type { Bench } from './run.ts';

/** What the Workers Paid plan includes in a month, for $5. */
const INCLUDED: Required<Usage> = {
  request: 10e6,
  cpuMs: 30e6,
  write: 1e6,
  read: 10e6,
  rowRead: 25e9,
  rowWritten: 50e6,
  call: 1e6,
};
const PLAN_DOLLARS = 5;

/** Dollars a second of a container of the type `standard-3` with both processors busy, and a GB that leaves it. */
const CONTAINER_SECOND = 2 * 0.00002 + 8 * 0.0000025 + 16 * 0.00000007;
export const MONTH_SECONDS = 30 * 86_400;

export const times = (usage: Usage, count: number): Usage =>
  Object.fromEntries(Object.entries(usage).map(([what, amount]) => [what, amount * count]));

export const sum = (...usages: readonly Usage[]): Usage => {
  const total: Record<string, number> = {};
  for (const usage of usages) for (const [what, amount] of Object.entries(usage)) total[what] = (total[what] ?? 0) + amount;
  return total;
};

/** Dollars of a month, with the plan. */
export function monthOf(usage: Usage): number {
  const beyond = Object.entries(usage).map(([what, amount]) => [what, Math.max(0, amount - INCLUDED[what as keyof Usage])]);
  return PLAN_DOLLARS + dollarsOf(Object.fromEntries(beyond));
}

/** Usage of one address in a minute at each of its limits. */
export const WORST_MINUTE: Readonly<Record<string, Usage>> = {
  'cached tiles (`GATEWAY_LIMIT`)': times(RATES.GATEWAY_LIMIT.usage, RATES.GATEWAY_LIMIT.units),
  'tiles that no cache has (`RENDER_LIMIT`)': times(RATES.RENDER_LIMIT.usage, RATES.RENDER_LIMIT.units),
  'pictures (`PICTURE_LIMIT`)': times(COSTS.pictures.usage, RATES.PICTURE_LIMIT.units),
  'lists (`PICTURE_LIMIT`)': times(COSTS.lists.usage, RATES.PICTURE_LIMIT.units),
  'JPX files (`PICTURE_LIMIT`)': times(COSTS.jpx.usage, RATES.PICTURE_LIMIT.units),
  'JPIP (`JPIP_LIMIT`, and reads by `PICTURE_LIMIT`)': sum(
    times(RATES.JPIP_LIMIT.usage, RATES.JPIP_LIMIT.units),
    times(COSTS.reads.usage, RATES.PICTURE_LIMIT.units),
  ),
};

const DAY_MINUTES = 1440;

/** Rows of the worst minute: cents of a minute of one address, and dollars of a day of one address, a network and a location. */
export const worstRows = () =>
  Object.entries(WORST_MINUTE).map(([what, usage]) => {
    const minute = dollarsOf(usage);
    const isCached = what.includes('GATEWAY');
    const day = (factor: number) => Math.round(minute * DAY_MINUTES * factor);
    return {
      what,
      cents: 100 * minute,
      address: day(1),
      network: day(SHARED_LIMITS.network),
      location: isCached ? null : day(SHARED_LIMITS.location),
    };
  });

const TILES = 30e6;
export const tiles = (cached: number): Usage =>
  sum(times(COUNTED.cachedTile, TILES * cached), times(COUNTED.drawnTile, TILES * (1 - cached)));

const movie = sum(...Object.values(MOVIE).map(({ count, ...usage }) => times(usage, count)));

export const MONTHS = {
  '1 M tiles a day, 80 % cached': monthOf(tiles(0.8)),
  '1 M tiles a day, all drawn': monthOf(tiles(0)),
  '1 M JPIP requests': dollarsOf(COUNTED.jpip) * 1e6,
  '1 M indexed images': dollarsOf(COUNTED.indexed) * 1e6,
  '1 M static files': dollarsOf(COUNTED.asset) * 1e6,
  'a movie of a minute': dollarsOf(movie) + 60 * CONTAINER_SECOND,
  'four busy containers': 4 * MONTH_SECONDS * CONTAINER_SECOND,
} as const;

export const bench: Bench = async ({ add }) => {
  for (const [name, value] of Object.entries(MONTHS)) add(name, 'cost', '$', value);
  for (const { what, cents, address, network, location } of worstRows()) {
    add(what, 'address, minute', 'cents', cents);
    add(what, 'address, day', '$', address);
    add(what, 'network, day', '$', network);
    if (location !== null) add(what, 'location, day', '$', location);
  }
};
