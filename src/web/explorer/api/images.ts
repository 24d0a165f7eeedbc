// Images of the archive: the nearest to a time, their neighbours, files and tiles.
import { type Difference, differenceParameters } from '../../../domain/recipe/difference.ts';
import { formatIso } from '../../../domain/time.ts';
import type { ImageRecord } from './image-record.ts';
import { queryOf, requestJson, requestResponse } from './request.ts';

export const isoMs = (atMs: number) => new Date(atMs).toISOString();

export async function closestImage(sourceId: number, atMs: number, signal?: AbortSignal): Promise<ImageRecord> {
  const path = `/v2/getClosestImage/?${queryOf({ sourceId, date: isoMs(atMs) })}`;
  const { body, headers } = await requestJson<ImageRecord>(path, { signal: signal ?? null });
  return { ...body, takenAt: headers.get('X-Image-Date')!, distanceSeconds: Number(headers.get('X-Image-Distance')) };
}

export interface Neighbours {
  /** Milliseconds since 1970; null where there is no image. */
  readonly previousMs: number | null;
  readonly nextMs: number | null;
}

const dateMs = (text: string | null) => (text === null ? null : Date.parse(`${text.replace(' ', 'T')}Z`));

export async function neighbours(sourceId: number, takenAt: string, signal?: AbortSignal): Promise<Neighbours> {
  const path = `/v2/getClosestImageDatesForSources/?${queryOf({ sources: sourceId, date: takenAt })}`;
  type Dates = Readonly<Record<string, { readonly prev_date: string | null; readonly next_date: string | null }>>;
  const { body } = await requestJson<Dates>(path, { signal: signal ?? null });
  const { prev_date: previous, next_date: next } = body[sourceId]!;
  return { previousMs: dateMs(previous), nextMs: dateMs(next) };
}

interface TilePosition {
  readonly x: number;
  readonly y: number;
  readonly imageScale: number;
}

export function tilePath(id: number, { x, y, imageScale }: TilePosition, difference: Difference): string {
  const { baseDiffTime, ...running } = differenceParameters(difference);
  const base = baseDiffTime === undefined ? {} : { baseDiffTime: formatIso(baseDiffTime) };
  return `/v2/getTile/?${queryOf({ id, x, y, imageScale, ...running, ...base })}`;
}

export const filePath = (id: number) => `/v2/getJP2Image/?id=${id}`;
export const headerPath = (id: number) => `/v2/getJP2Header/?id=${id}`;
export const picturePath = (id: number, width: number) => `/v2/downloadImage/?id=${id}&width=${width}&type=jpg`;

/** Keywords and values of the FITS header, in its order. */
export async function headerOf(id: number): Promise<[string, string][]> {
  const text = await (await requestResponse(headerPath(id))).text();
  const fits = new DOMParser().parseFromString(text, 'text/xml').querySelector('fits');
  return [...(fits?.children ?? [])].map((element) => [element.tagName, element.textContent ?? '']);
}
