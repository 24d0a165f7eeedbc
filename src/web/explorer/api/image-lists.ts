// Lists of images in a range of time.
import { pathOf } from '../../../../clients/typescript/core.ts';
import { LISTS } from '../../../config/limits/images.ts';
import { formatIso } from '../../../domain/time.ts';
import type { Range } from '../model/timeline.ts';
import { call } from './request.ts';

export interface ListedRange extends Range {
  readonly sourceId: number;
}

export interface ImageTimes {
  /** Milliseconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly isCut: boolean;
}

const queryFor = ({ sourceId, startMs, endMs }: ListedRange) => ({
  sourceId,
  startTime: formatIso(startMs),
  endTime: formatIso(endMs),
});

export async function listImages(range: ListedRange, signal: AbortSignal, limit: number = LISTS.images): Promise<ImageTimes> {
  const { images, next } = await call('listImages', { ...queryFor(range), limit }, signal);
  return { times: images.map(({ date }) => Date.parse(date)), isCut: next !== null };
}

export const listPath = (range: ListedRange, format: 'csv' | 'votable' = 'csv'): string =>
  pathOf('listImages', { ...queryFor(range), limit: LISTS.maxImages, format });
