// CCMC: CMEs and flares of DONKI, and the predictions of the flare scoreboard.
import { donkiCme, LONGEST_CME_DAYS } from '../../domain/events/donki-cme.ts';
import { donkiFlare, LONGEST_FLARE_DAYS } from '../../domain/events/donki-flare.ts';
import {
  flarePrediction,
  LONGEST_PREDICTION_DAYS,
  PREDICTION_MODELS,
  type PredictionModel,
  predictionRows,
} from '../../domain/events/flare-prediction.ts';
import { type RawRecord, recordOf } from '../../domain/events/record.ts';
import type { SolarEvent } from '../../domain/events/solar-event.ts';
import type { EventFeed, LoadedRecords } from '../../ports/events.ts';
import { sha256Hex } from '../../util/digest.ts';
import { DAY_MS } from '../../util/durations.ts';
import { JsonQuestion } from '../http/json-source.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import { type FeedLimits, plainDay, plainTime, withQuery } from './feed-limits.ts';

interface DonkiTable {
  readonly name: string;
  /** Path below the web service. */
  readonly path: string;
  /** Days before the day in which an event that goes on may have begun. */
  readonly lookBackDays: number;
  read(record: RawRecord): SolarEvent | null;
}

const CMES: DonkiTable = { name: 'donki-cme', path: 'CME', lookBackDays: LONGEST_CME_DAYS, read: donkiCme };
const FLARES: DonkiTable = { name: 'donki-flares', path: 'FLR', lookBackDays: LONGEST_FLARE_DAYS, read: donkiFlare };

function donkiFeed({ name, path, lookBackDays, read }: DonkiTable, address: string, limits: FeedLimits): EventFeed {
  return {
    name,
    source: 'CCMC',
    isRemote: true,
    read,
    async load(dayMs) {
      const days = { startDate: plainDay(dayMs - lookBackDays * DAY_MS), endDate: plainDay(dayMs) };
      // No events at all are null.
      const answer = (await new JsonQuestion(limits).get(withQuery(`${address}/${path}`, days))) ?? [];
      if (!Array.isArray(answer)) throw new UpstreamError(`Expected a list of DONKI, got something else.`, { mayPass: true });
      const records = answer.slice(0, limits.records).map(recordOf);
      return { records: records.filter((record) => record !== null), isCut: answer.length > limits.records, missing: [] };
    },
  };
}

/** HAPI status of a good answer and of one without rows. */
const GOOD_STATUS: readonly unknown[] = [undefined, 1200, 1201];

interface ModelRows {
  readonly model: PredictionModel;
  readonly rows: readonly RawRecord[];
}

/** Rows have neither an id nor the name of their model: both are put beside them. */
async function named({ model, rows }: ModelRows): Promise<RawRecord[]> {
  return Promise.all(
    rows.map(async (row) => ({ model: model.name, id: await sha256Hex(JSON.stringify([model.dataset, row])), row })),
  );
}

function readPrediction({ model, id, row }: RawRecord): SolarEvent | null {
  const record = recordOf(row);
  return record && typeof model === 'string' && typeof id === 'string' ? flarePrediction(record, model, id) : null;
}

/** `work` for each item, so many at a time, results in the order of the items. */
async function inTurns<T, R>(items: readonly T[], parallel: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let i = 0; i < items.length; i += parallel) {
    results.push(...(await Promise.all(items.slice(i, i + parallel).map(work))));
  }
  return results;
}

function scoreboardFeed(address: string, limits: FeedLimits): EventFeed {
  async function rowsOf(question: JsonQuestion, model: PredictionModel, dayMs: number): Promise<ModelRows> {
    const answer = recordlike(
      await question.get(
        withQuery(`${address}/data`, {
          id: model.dataset,
          // The server does not take a Z.
          'time.min': `${plainTime(dayMs - LONGEST_PREDICTION_DAYS * DAY_MS)}.0`,
          'time.max': `${plainTime(dayMs + DAY_MS)}.0`,
          format: 'json',
          include: 'header',
        }),
      ),
    );
    return { model, rows: predictionRows(answer, limits.records) };
  }

  // Several are under way at once: together they have the bytes of a day.
  const share = {
    ...limits,
    responseBytes: Math.min(limits.responseBytes, Math.floor(limits.dayBytes / PREDICTION_MODELS.length)),
  };

  async function load(dayMs: number): Promise<LoadedRecords> {
    const question = new JsonQuestion(share);
    const missing: string[] = [];
    const answers = await inTurns(PREDICTION_MODELS, limits.parallel, (model) =>
      rowsOf(question, model, dayMs).catch((error: unknown) => {
        // A model that the server does not have is not missing.
        if (error instanceof UpstreamError && error.mayPass) missing.push(model.name);
        return { model, rows: [], error };
      }),
    );
    const failures = answers.flatMap((answer) => ('error' in answer ? [answer.error] : []));
    if (failures.length === answers.length) throw failures[0];
    const records = (await Promise.all(answers.map(named))).flat();
    return { records: records.slice(0, limits.records), isCut: records.length > limits.records, missing };
  }

  return { name: 'flare-predictions', source: 'CCMC', isRemote: true, read: readPrediction, load };
}

function recordlike(answer: unknown): RawRecord {
  const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer);
  const record = (isObject ? answer : {}) as RawRecord;
  const code = (record.status as { code?: unknown } | undefined)?.code;
  if (!GOOD_STATUS.includes(code))
    throw new UpstreamError(`Expected rows of the scoreboard, got status ${code}.`, { mayPass: false });
  if (!Array.isArray(record.data)) throw new UpstreamError('Expected rows of the scoreboard, got none.', { mayPass: true });
  return record;
}

/** The three questions to CCMC. */
export function ccmcFeeds(
  addresses: { readonly donkiUrl: string; readonly scoreboardUrl: string },
  limits: FeedLimits,
): EventFeed[] {
  return [
    donkiFeed(CMES, addresses.donkiUrl, limits),
    donkiFeed(FLARES, addresses.donkiUrl, limits),
    scoreboardFeed(addresses.scoreboardUrl, limits),
  ];
}
