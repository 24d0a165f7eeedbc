// Measurements: values of a pixel, and series under way with their rows as they come, their end, and their failures.
import { signal } from '@preact/signals';
import { pathOf, ServiceError } from '../../../clients/typescript/core.ts';
import type { Body } from '../../../clients/typescript/operations.ts';
import { MINUTE_MS } from '../../platform/util/durations.ts';
import { call, PageError, received, requestResponse, sentenceOf } from '../api/request.ts';
import { decimalsOf, type ValueInterval, type ValuePlace } from '../model/measured-shape.ts';
import type { CurveRow, CurveSeries, MapRow, MapSeries, Series, SeriesFacts, SeriesRow } from '../model/series.ts';
import { SeriesReader, seriesParameters } from '../model/series.ts';
import { measuring } from '../texts/more.ts';
import { fill, fixed, texts } from '../texts.ts';

/** Longest wait for a whole series, whose images may have to be confirmed first. */
const SERIES_MS = 10 * MINUTE_MS;

/** Without `raw`, a law is named. */
export type PixelValue = Body<'getValue'> & ValueInterval & { readonly status: 'exact' | 'approximate' };

/** @throws as `call`, also for an image without a law, and for a place without data */
export const pixelValue = (id: number, place: ValuePlace, signal: AbortSignal): Promise<PixelValue> =>
  call<'getValue', PixelValue>('getValue', { id, ...place }, signal);

/** The level of a place, also of an image without a law. @throws as `call` */
export const pixelLevel = async (id: number, place: ValuePlace, signal: AbortSignal): Promise<number> =>
  (await call('getValue', { id, ...place, raw: true }, signal)).byte;

export const seriesPath = (series: Series, format: string): string =>
  pathOf(series.operation, { ...seriesParameters(series), format });

/**
 * The rows of a series as they come, in pieces.
 * @throws as `requestResponse`, also PageError for a response that breaks off
 */
async function* rowsOf(series: Series, signal: AbortSignal) {
  const response = await requestResponse(seriesPath(series, 'json'), { signal, timeoutMs: SERIES_MS });
  const reader = new SeriesReader<CurveRow & MapRow>();
  const text = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const next = () => received(text.read(), { signal });
  for (let piece = await next(); !piece.done; piece = await next()) {
    const rows = reader.add(piece.value);
    if (reader.facts) yield { facts: reader.facts, rows };
  }
  if (!reader.isComplete) throw new PageError(texts.failures.offline);
}

/** Time between two pictures of a series that grows. */
const PICTURE_MS = 120;

interface RunOf<S extends Series, Row extends SeriesRow> {
  readonly series: S;
  /** Null before the first row. */
  readonly facts: SeriesFacts | null;
  readonly rows: readonly Row[];
  readonly state: 'running' | 'stopped' | 'failed' | 'finished';
  readonly failure: readonly string[];
  readonly hasNoValues: boolean;
}

export type CurveRun = RunOf<CurveSeries, CurveRow>;
export type MapRun = RunOf<MapSeries, MapRow>;
export type Run = CurveRun | MapRun;

/** The last measurement of each kind. */
export const runs = { getLightCurve: signal<CurveRun | null>(null), getTimeDistance: signal<MapRun | null>(null) };

const working = new Map<Series['operation'], AbortController>();

export const isRefusal = (error: unknown): error is ServiceError => error instanceof ServiceError && error.status === 422;

const refusals: Readonly<Record<string, string>> = measuring.refusals;

/** Sentences about a failure: that of the refusal, or that of the failure and how long to wait. */
export function sentencesOf(error: unknown): readonly string[] {
  if (isRefusal(error)) return [refusals[error.reason ?? ''] ?? measuring.noLaw];
  const waitMs = error instanceof ServiceError ? error.retryAfterMs : null;
  return [sentenceOf(error), ...(waitMs === null ? [] : [fill(measuring.waits, { seconds: Math.ceil(waitMs / 1000) })])];
}

export function valueTexts({ value, lower, upper }: ValueInterval, unit: string) {
  const decimals = decimalsOf({ value, lower, upper });
  const text = (end: number | null, open: string) => (end === null ? open : fixed(end, decimals));
  return {
    value: `${text(value, '')} ${unit}`,
    interval: fill(measuring.interval, { lower: text(lower, '−∞'), upper: text(upper, '∞') }),
  };
}

/** Measures a series in place of the one before. What has come stays after a failure. */
export async function start(series: Series): Promise<void> {
  const { operation } = series;
  stop(operation);
  const work = new AbortController();
  working.set(operation, work);
  const rows: (CurveRow & MapRow)[] = [];
  let facts: SeriesFacts | null = null;
  let shownMs = performance.now();
  const show = (state: Run['state'], failure: readonly string[] = [], hasNoValues = false) => {
    // Another one has taken its place.
    if (working.get(operation) !== work) return;
    runs[operation].value = { series: series as never, facts, rows: [...rows], state, failure, hasNoValues };
    shownMs = performance.now();
  };
  show('running');
  try {
    for await (const piece of rowsOf(series, work.signal)) {
      facts = series.isOfLevels ? { ...piece.facts, unit: measuring.level } : piece.facts;
      rows.push(...piece.rows);
      if (performance.now() - shownMs >= PICTURE_MS) show('running');
    }
    show('finished');
  } catch (error) {
    if (work.signal.aborted) show('stopped');
    else show('failed', sentencesOf(error), isRefusal(error));
  }
}

export const stop = (operation: Series['operation']): void => working.get(operation)?.abort();
