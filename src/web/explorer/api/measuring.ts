// Physical values: of a pixel, and of a region or a path in the images of a range of time.
import { pathOf } from '../../../../clients/typescript/core.ts';
import type { Body } from '../../../../clients/typescript/operations.ts';
import { MINUTE_MS } from '../../../util/durations.ts';
import type { ValueInterval, ValuePlace } from '../model/measured-value.ts';
import { type Series, SeriesReader, type SeriesRow, seriesParameters } from '../model/series.ts';
import { texts } from '../texts.ts';
import { call, PageError, received, requestResponse } from './request.ts';

/** Longest wait for a whole series, whose images may have to be confirmed first. */
const SERIES_MS = 10 * MINUTE_MS;

/** Without `raw`, a law is named. */
type Answer = Body<'getValue'> & ValueInterval & { readonly status: 'exact' | 'approximate' };

export type PixelValue = Readonly<
  Pick<Answer, 'value' | 'lower' | 'upper' | 'byte' | 'unit' | 'law' | 'status' | 'censored' | 'lossyLevels' | 'caveats'>
>;

/** @throws as `call`, also for an image without a law, and for a place without data */
export const pixelValue = (id: number, place: ValuePlace, signal: AbortSignal): Promise<PixelValue> =>
  call<'getValue', Answer>('getValue', { id, ...place }, signal);

/** The level of a place, also of an image without a law. @throws as `call` */
export const pixelLevel = async (id: number, place: ValuePlace, signal: AbortSignal): Promise<number> =>
  (await call('getValue', { id, ...place, raw: true }, signal)).byte;

export const seriesPath = (series: Series, format: string): string =>
  pathOf(series.operation, { ...seriesParameters(series), format });

/**
 * The rows of a series as they come, in pieces.
 * @throws as `requestResponse`, also PageError for a response that breaks off
 */
export async function* rowsOf<Row extends SeriesRow>(series: Series, signal: AbortSignal) {
  const response = await requestResponse(seriesPath(series, 'json'), { signal, timeoutMs: SERIES_MS });
  const reader = new SeriesReader<Row>();
  const text = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const next = () => received(text.read(), { signal });
  for (let piece = await next(); !piece.done; piece = await next()) {
    const rows = reader.add(piece.value);
    if (reader.facts) yield { facts: reader.facts, rows };
  }
  if (!reader.isComplete) throw new PageError(texts.failures.offline);
}
