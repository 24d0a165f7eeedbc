// Images as arrays of physical values or bytes.
import { pathOf, ServiceError } from '../../../../clients/typescript/core.ts';
import { MEASURING } from '../../../config/limits/rendering.ts';
import type { ImageRecord } from './image-record.ts';
import { requestResponse } from './request.ts';

const VALUE_BYTES = 4;

/** The path of the image as a FITS file, at the finest level that a response holds. */
export function fitsPath({ id, width, height }: Pick<ImageRecord, 'id' | 'width' | 'height'>, isRaw: boolean): string {
  const bytes = width * height * (isRaw ? 1 : VALUE_BYTES);
  const level = Math.max(0, Math.ceil(Math.log2(bytes / MEASURING.arrayBytes) / 2));
  return pathOf('getImageData', { id, format: 'fits', level: level || undefined, raw: isRaw || undefined });
}

/** Whether the bytes of an image have a law by which they become physical values. @throws as `requestResponse` */
export async function hasLaw(id: number): Promise<boolean> {
  try {
    await requestResponse(pathOf('getValue', { id, x: 1, y: 1, frame: 'pixel' }));
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 422) return false;
    throw error;
  }
}
