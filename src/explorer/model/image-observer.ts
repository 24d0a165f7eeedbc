// Where an image was taken from.
import { imageObserver, type Observer } from '../../sun/coordinates/observer.ts';
import type { ImageRecord } from '../api/image-record.ts';

export type Place = Pick<Observer, 'b0Degrees' | 'longitudeDegrees'>;

/** The observer in the header of an image, or with which it was drawn while that has not loaded. */
export const observerOf = (
  { takenAt, dsun }: Pick<ImageRecord, 'takenAt' | 'dsun'>,
  fits: readonly (readonly [string, string])[] | null,
  drawn?: Place,
): Observer => ({ ...imageObserver(Date.parse(takenAt), dsun, new Map(fits)), ...(fits ? {} : drawn) });
