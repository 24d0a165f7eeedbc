// CCMC: CMEs and flares of DONKI, and the predictions of the flare scoreboard.
import { JsonSession, UpstreamError, withQuery } from '../../platform/http/bounded-fetch.ts';
import type { EventSettings } from '../../platform/settings/events.ts';
import { sha256Hex } from '../../platform/util/bytes.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import type { SolarEvent } from '../../sun/events/solar-event.ts';
import { isoDay, isoSeconds } from '../../sun/time.ts';
import type { EventFeed, LoadedRecords, Room } from '../ports.ts';
import { donkiFlare, LONGEST_FLARE_DAYS } from '../records/donki.ts';
import { donkiCme, LONGEST_CME_DAYS } from '../records/donki-cme.ts';
import {
  flarePrediction,
  LONGEST_PREDICTION_DAYS,
  PREDICTION_MODELS,
  type PredictionModel,
} from '../records/flare-prediction.ts';
import { hapiRows } from '../records/hapi.ts';
import { type RawRecord, recordOf } from '../records/record.ts';
import { type FeedLimits, gathered, hapiTable } from './feed-request.ts';

interface DonkiTable {
  readonly name: string;
  readonly path: string;
  /** Days before the requested day in which an event still in progress may have begun. */
  readonly lookBackDays: number;
  read(record: RawRecord): SolarEvent | null;
}

const CMES: DonkiTable = { name: 'donki-cme', path: 'CME', lookBackDays: LONGEST_CME_DAYS, read: donkiCme };
const FLARES: DonkiTable = { name: 'donki-flares', path: 'FLR', lookBackDays: LONGEST_FLARE_DAYS, read: donkiFlare };

function donkiFeed({ name, path, lookBackDays, read }: DonkiTable, address: string, limits: FeedLimits): EventFeed {
  return {
    name,
    source: 'CCMC',
    pin: 'C3',
    isRemote: true,
    read,
    async load(dayMs, count = 1, room) {
      const days = { startDate: isoDay(dayMs - lookBackDays * DAY_MS), endDate: isoDay(dayMs + (count - 1) * DAY_MS) };
      // DONKI responds with null instead of an empty list.
      const list = (await new JsonSession(limits, { room }).get(withQuery(`${address}/${path}`, days))) ?? [];
      if (!Array.isArray(list)) throw new UpstreamError('DONKI sent a value that is not a list.', { isTransient: true });
      const records = list.slice(0, limits.records).map(recordOf);
      return { records: records.filter((record) => record !== null), isCut: list.length > limits.records, missing: [] };
    },
  };
}

type ModelRows = { readonly model: PredictionModel; readonly rows: readonly RawRecord[] };

/** Records from rows, with the name of the model, and an id from the content because rows have none. */
const predictionRecords = async ({ model, rows }: ModelRows): Promise<RawRecord[]> =>
  Promise.all(rows.map(async (row) => ({ model: model.name, id: await sha256Hex(JSON.stringify([model.dataset, row])), row })));

function readPrediction({ model, id, row }: RawRecord): SolarEvent | null {
  const record = recordOf(row);
  return record && typeof model === 'string' && typeof id === 'string' ? flarePrediction(record, model, id) : null;
}

function scoreboardFeed(address: string, limits: FeedLimits): EventFeed {
  // The models share the byte budget of a day, because several are requested at once.
  const bytesPerModel = Math.floor(limits.dayBytes / PREDICTION_MODELS.length);
  const modelLimits = { ...limits, responseBytes: Math.min(limits.responseBytes, bytesPerModel) };

  async function rowsOf(session: JsonSession, model: PredictionModel, dayMs: number, days: number): Promise<ModelRows> {
    const query = {
      id: model.dataset,
      // The server rejects a trailing Z.
      'time.min': `${isoSeconds(dayMs - LONGEST_PREDICTION_DAYS * DAY_MS)}.0`,
      'time.max': `${isoSeconds(dayMs + days * DAY_MS)}.0`,
      format: 'json',
      include: 'header',
    };
    const table = hapiTable(await session.get(withQuery(`${address}/data`, query)), 'The scoreboard');
    return { model, rows: hapiRows(table, limits.records + 1) };
  }

  async function load(dayMs: number, days = 1, room?: Room): Promise<LoadedRecords> {
    const session = new JsonSession(modelLimits, { room });
    const naming = { parallel: limits.parallel, nameOf: ({ name }: PredictionModel) => name };
    const { found, missing } = await gathered(PREDICTION_MODELS, naming, (model) => rowsOf(session, model, dayMs, days));
    const records = (await Promise.all(found.map(predictionRecords))).flat();
    return { records: records.slice(0, limits.records), isCut: records.length > limits.records, missing };
  }

  return { name: 'flare-predictions', source: 'CCMC', pin: 'FP', isRemote: true, read: readPrediction, load };
}

export const ccmcFeeds = (
  { donkiUrl, scoreboardUrl }: Pick<EventSettings, 'donkiUrl' | 'scoreboardUrl'>,
  limits: FeedLimits,
): EventFeed[] => [donkiFeed(CMES, donkiUrl, limits), donkiFeed(FLARES, donkiUrl, limits), scoreboardFeed(scoreboardUrl, limits)];
