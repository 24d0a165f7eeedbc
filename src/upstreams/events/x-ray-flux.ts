// X-ray flux of the primary GOES satellite, one-minute means of the XRS since April 2010, from the HAPI server of ISWA (CCMC).
import { type XrayDay, xrayDay } from '../../domain/events/x-ray-flux.ts';
import { isoSeconds } from '../../domain/time.ts';
import type { DayFeed } from '../../ports/events.ts';
import { DAY_MS } from '../../util/durations.ts';
import { JsonSession, withQuery } from '../http/bounded-fetch.ts';
import { type FeedLimits, hapiTable } from './feed-request.ts';

const DATASET = 'goesp_xray_flux_P1M';
/** 0.1-0.8 nm, the band of the classes of flares. */
const COLUMN = 'Long_Wave';

export function xrayFeed(address: string, limits: FeedLimits): DayFeed<XrayDay> {
  return {
    name: 'goes-xray',
    source: 'GOES',
    isRemote: true,
    read: (record) => record as unknown as XrayDay,
    async load(dayMs) {
      const query = {
        id: DATASET,
        parameters: COLUMN,
        'time.min': `${isoSeconds(dayMs)}.0Z`,
        'time.max': `${isoSeconds(dayMs + DAY_MS)}.0Z`,
        format: 'json',
      };
      const response = await new JsonSession(limits).get(withQuery(`${address}/data`, query));
      const day = xrayDay(hapiTable(response, 'The server of the X-ray flux'), COLUMN, dayMs);
      return { records: [{ ...day }], isCut: false, missing: [] };
    },
  };
}
