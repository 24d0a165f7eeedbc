// Feeds of all event sources.
import { JsonSession, withQuery } from '../../platform/http/bounded-fetch.ts';
import { EVENT_REQUESTS } from '../../platform/limits/events.ts';
import type { EventSettings } from '../../platform/settings/events.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import type { XrayDay } from '../../sun/events/x-ray-flux.ts';
import { isoSeconds } from '../../sun/time.ts';
import type { DayFeed, EventFeed, RhessiFlares } from '../ports.ts';
import { xrayDay } from '../records/hapi.ts';
import { RHESSI_FEED, type RhessiFlare, rhessiEvent } from '../records/rhessi.ts';
import { ccmcFeeds } from './ccmc.ts';
import { type FeedLimits, hapiTable } from './feed-request.ts';
import { hekFeed } from './hek.ts';
import { wsaFeeds } from './wsa.ts';

const DATASET = 'goesp_xray_flux_P1M';
/** 0.1-0.8 nm, the band of the classes of flares. */
const COLUMN = 'Long_Wave';

export const xrayFeed = (address: string, limits: FeedLimits): DayFeed<XrayDay> => ({
  name: 'goes-xray',
  source: 'GOES',
  isRemote: true,
  read: (record) => record as unknown as XrayDay,
  async load(dayMs, _days, room) {
    const query = {
      id: DATASET,
      parameters: COLUMN,
      'time.min': `${isoSeconds(dayMs)}.0Z`,
      'time.max': `${isoSeconds(dayMs + DAY_MS)}.0Z`,
      format: 'json',
    };
    const response = await new JsonSession(limits, { room }).get(withQuery(`${address}/data`, query));
    const day = xrayDay(hapiTable(response, 'The server of the X-ray flux'), COLUMN, dayMs);
    return { records: [{ ...day }], isCut: false, missing: [] };
  },
});

const rhessiFeed = (flares: Pick<RhessiFlares, 'between'>, limits: Pick<FeedLimits, 'records'>): EventFeed => ({
  name: RHESSI_FEED,
  source: 'RHESSI',
  pin: 'F2',
  isRemote: false,
  read: (record) => rhessiEvent(record as unknown as RhessiFlare),
  async load(dayMs, days = 1, room) {
    await room?.();
    const found = await flares.between(dayMs, dayMs + days * DAY_MS - 1, limits.records + 1);
    const records = found.slice(0, limits.records).map((flare) => ({ ...flare }));
    return { records, isCut: found.length > limits.records, missing: [] };
  },
});

export const eventFeeds = (
  addresses: EventSettings,
  flares: Pick<RhessiFlares, 'between'>,
  limits: FeedLimits = EVENT_REQUESTS,
): EventFeed[] => [
  hekFeed(addresses.hekUrl, limits),
  ...ccmcFeeds(addresses, limits),
  rhessiFeed(flares, limits),
  ...wsaFeeds(addresses.wsaUrl, limits),
];
