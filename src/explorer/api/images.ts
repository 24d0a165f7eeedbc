// Images of the archive: the nearest to a time, their neighbours, lists, numbers over time, files and tiles.
import { dateOf, pathOf } from '../../../clients/typescript/core.ts';
import type { Body, Schemas } from '../../../clients/typescript/operations.ts';
import { type Operations, operationQuery } from '../../picture/operations/operations.ts';
import { LISTS } from '../../platform/limits/images.ts';
import { formatIso } from '../../sun/time.ts';
import type { Range } from '../model/timeline.ts';
import type { ImageRecord, Placed } from './image-record.ts';
import { call, requestJson, requestResponse } from './request.ts';

export type { ImageRecord, Placed };

export type ListedRange = Range & { readonly sourceId: number };

const queryFor = ({ sourceId, startMs, endMs }: ListedRange) => ({
  sourceId,
  startTime: formatIso(startMs),
  endTime: formatIso(endMs),
});

/** `times`: milliseconds since 1970, ascending. */
export async function listImages(range: ListedRange, signal: AbortSignal, limit: number = LISTS.images) {
  const { images, next } = await call('listImages', { ...queryFor(range), limit }, signal);
  return { times: images.map(({ date }) => Date.parse(date)), isCut: next !== null };
}

export type ImageTimes = Awaited<ReturnType<typeof listImages>>;

export const listPath = (range: ListedRange, format: 'csv' | 'votable' = 'csv'): string =>
  pathOf('listImages', { ...queryFor(range), limit: LISTS.maxImages, format });

/** Starts of bins in milliseconds since 1970, or times of images, and numbers of images. */
type Series = Omit<Schemas['ImageSeries'], 'data'> & { data: [atMs: number, count: number][] };

/** Ranges up to this have single images instead of bins. */
const SINGLE_MS = 105 * 60_000;

export async function imageCoverage(sourceIds: readonly number[], { startMs, endMs }: Range, signal: AbortSignal) {
  const imageLayers = sourceIds.map((id) => `[${id},1,100]`).join(',');
  const range = { imageLayers, startDate: startMs, endDate: endMs };
  const body = await call<'getDataCoverage', Series[]>('getDataCoverage', range, signal);
  const isSingle = endMs - startMs <= SINGLE_MS;
  return body.map(({ sourceId, data }) => {
    const bins = data.map(([at, count]) => ({ startMs: at, count }));
    const binMs = isSingle || data.length < 2 ? 0 : data[1]![0] - data[0]![0];
    // The service answers for the range with its own length on both sides.
    const known = { startMs: 2 * startMs - endMs, endMs: 2 * endMs - startMs };
    return { sourceId, bins, binMs, known };
  });
}

export async function closestImage(sourceId: number, atMs: number, signal?: AbortSignal): Promise<ImageRecord> {
  const path = pathOf('getClosestImage', { sourceId, date: new Date(atMs) });
  const { body, headers } = await requestJson<Body<'getClosestImage'>>(path, { signal });
  return { ...body, takenAt: headers.get('X-Image-Date')!, distanceSeconds: Number(headers.get('X-Image-Distance')) };
}

/**
 * For each time the nearest image of a source, or the latest one at or before it; null where there is none.
 * @throws ServiceError for a source without images, unless it searches earlier ones
 */
export async function imagesAtTimes(
  sourceId: number,
  times: readonly number[],
  { isEarlier, signal }: { readonly isEarlier: boolean; readonly signal: AbortSignal },
): Promise<(ImageRecord | null)[]> {
  const dates = times.map((atMs) => new Date(atMs).toISOString()).join();
  const body = await call('getImagesAtTimes', { sourceId, dates, earlier: isEarlier || undefined }, signal);
  return body.images.map(
    (image, i) => image && { ...image, distanceSeconds: Math.round(Date.parse(image.takenAt) - times[i]!) / 1000 },
  );
}

const dateMs = (text: string | null) => (text === null ? null : dateOf(text).getTime());

/** Times in milliseconds since 1970; null where there is no image. */
export async function neighbours(sourceId: number, takenAt: string, signal?: AbortSignal) {
  const body = await call('getClosestImageDatesForSources', { sources: String(sourceId), date: takenAt }, signal);
  const { prev_date: previous, next_date: next } = body[sourceId]!;
  return { previousMs: dateMs(previous), nextMs: dateMs(next) };
}

export type Neighbours = Readonly<Awaited<ReturnType<typeof neighbours>>>;

export type TilePlace = Readonly<Record<'x' | 'y' | 'imageScale', number>>;

/** A tile, north up. */
export const tilePath = (id: number, { x, y, imageScale }: TilePlace, layer: Operations): string =>
  pathOf('getTile', { id, x, y, imageScale, ...operationQuery(layer), north: true });

export const picturePath = (id: number, width: number, layer: Operations = {}) =>
  pathOf('downloadImage', { id, width, type: 'jpg', ...operationQuery(layer) });

export async function headerOf(id: number): Promise<[string, string][]> {
  const text = await (await requestResponse(pathOf('getJP2Header', { id }))).text();
  const fits = new DOMParser().parseFromString(text, 'text/xml').querySelector('fits');
  return [...(fits?.children ?? [])].map((element) => [element.tagName, element.textContent ?? '']);
}
