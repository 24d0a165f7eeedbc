// Parameters of operations that measure the images of a range of time.
import { findSource } from '../../domain/catalogue/sources.ts';
import { badParameter } from '../../domain/errors.ts';
import { ROTATION, type Tracking } from '../../domain/measurement/tracking.ts';
import { checkOrder, fileStamp } from '../../domain/time.ts';
import { choice, date, decimal, type Values } from '../../http/parameters.ts';
import { namedFile } from '../../http/response.ts';
import type { SeriesRequest } from '../../services/measurement/image-series.ts';
import { EXAMPLE_SOURCE } from '../examples.ts';
import { singleSource, sourceId } from '../images/source-parameters.ts';

/** Seconds: to the length of a solar cycle. */
export const CADENCE = { min: 1, max: 400_000_000 };

export const seriesParameters = {
  sourceId: sourceId(),
  startTime: date('Start of the range, included.'),
  endTime: date('End of the range, included with the fractions of its second.'),
  cadence: decimal(
    'Seconds between images: the nearest to each time, at most half of it away. Unset: every image.',
    CADENCE,
  ).optional(),
};

export const trackingParameters = {
  track: choice(
    `\`rotation\`: the places rotate with the Sun, from where they are in the first image (${ROTATION}; the default of SunPy).`,
    ['none', 'rotation'],
  ).default('none'),
  trackFrom: date(
    'With `track=rotation`: the time to which the coordinates belong, as the observer of the image nearest to it saw them. Unset: that of the first image.',
  ).optional(),
};

/** @throws Failure for a time of places that do not rotate */
export function trackingOf({ track, trackFrom }: Values<typeof trackingParameters>): Tracking {
  if (track === 'none' && trackFrom !== undefined) throw badParameter('track', 'rotation, which trackFrom needs,', track);
  return { isTracked: track === 'rotation', trackFromMs: trackFrom ?? null };
}

export const trackingKey = ({ isTracked, trackFromMs }: Tracking) => ({ track: isTracked, trackFrom: trackFromMs ?? undefined });

/** The datasource of a series. @throws Failure for an unknown one, and for a group of them */
export function seriesSource(id: number, parameter = 'sourceId'): number {
  if (!findSource(id)) throw badParameter(parameter, 'the id of a datasource, as getDataSources has it,', id);
  return singleSource(id, parameter);
}

/** The range of a request. @throws Failure as `seriesSource`, and for swapped times */
export function seriesOf({ sourceId: id, startTime, endTime, cadence }: Values<typeof seriesParameters>): SeriesRequest {
  const source = seriesSource(id);
  checkOrder(startTime, endTime, ['startTime', 'endTime']);
  return { sourceId: source, startMs: startTime, endMs: endTime, cadenceSeconds: cadence ?? null };
}

/** The members of a cache key that name a range. */
export const seriesKey = ({ sourceId: source, startMs, endMs, cadenceSeconds }: SeriesRequest) => ({
  sourceId: source,
  startTime: startMs,
  endTime: endMs,
  cadence: cadenceSeconds ?? undefined,
});

/** Headers of a response with so many rows, and with a file name such as `AIA_171_lightcurve_20240510_000000_20240511_000000.csv`. */
export function seriesHeaders(
  rows: number,
  file?: { readonly of: SeriesRequest; readonly what: string; readonly format: string },
): Readonly<Record<string, string>> {
  const counted = { 'X-Series-Rows': String(rows) };
  if (!file) return counted;
  const { sourceId: source, startMs, endMs } = file.of;
  const parts = [findSource(source)?.nickname ?? String(source), file.what, fileStamp(startMs), fileStamp(endMs)];
  return { ...counted, ...namedFile('attachment', `${parts.join('_')}.${file.format}`) };
}

/** A region in the images of some hours, for examples. */
export const EXAMPLE_REGION = {
  sourceId: EXAMPLE_SOURCE,
  startTime: '2024-05-10T10:00:00Z',
  endTime: '2024-05-10T14:00:00Z',
  x: 100,
  y: 200,
  width: 120,
  height: 120,
} as const;
