// Grey frames of images, for pictures that play.
import { pathOf } from '../../../../clients/typescript/core.ts';
import { describedIn, type FrameAddress, type FrameDescription } from '../../../domain/moving-frame.ts';
import { texts } from '../texts.ts';
import { PageError, requestResponse } from './request.ts';

export interface DecodedFrame {
  /** Decoded aside of the page's own thread; its owner closes it. */
  readonly picture: ImageBitmap;
  readonly description: FrameDescription;
}

export const framePath = (id: number, { imageScale, x, y, columns, rows }: FrameAddress): string =>
  pathOf('getFrame', { id, imageScale, x, y, columns, rows });

/** @throws as `requestResponse`; PageError for a file that is no frame */
export async function loadFrame(path: string, signal: AbortSignal): Promise<DecodedFrame> {
  const response = await requestResponse(path, { signal });
  try {
    const file = new Uint8Array(await response.arrayBuffer());
    const description = describedIn(file)!;
    const blob = new Blob([file], { type: 'image/jpeg' });
    return { picture: await createImageBitmap(blob, { colorSpaceConversion: 'none' }), description };
  } catch (error) {
    if (signal.aborted) throw error;
    throw new PageError(texts.failures.picture);
  }
}
