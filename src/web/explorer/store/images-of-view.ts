// The images that a view shows.
import type { View, ViewLayer } from '../../../domain/explorer/view.ts';
import type { ImageRecord } from '../api/image-record.ts';
import { closestImage } from '../api/images.ts';
import { RequestError } from '../api/request.ts';

const NO_IMAGE = /No data of the requested type/;

/** The image of a layer; null for a hidden one, and for a source without images when other layers have some. */
async function imageOf(layer: ViewLayer, atMs: number, signal: AbortSignal, isOnly: boolean): Promise<ImageRecord | null> {
  if (!layer.isVisible) return null;
  try {
    return await closestImage(layer.sourceId, atMs, signal);
  } catch (error) {
    if (isOnly || !(error instanceof RequestError) || !NO_IMAGE.test(error.message)) throw error;
    return null;
  }
}

export interface ImagesOfView {
  readonly atMs: number;
  /** By layer. */
  readonly images: readonly (ImageRecord | null)[];
}

/** The images of a view. The newest view takes its time from the newest image of its lowest visible layer. */
export async function imagesOf(view: View, signal: AbortSignal): Promise<ImagesOfView> {
  const isOnly = view.layers.filter(({ isVisible }) => isVisible).length === 1;
  if (view.atMs !== null) {
    const { atMs } = view;
    return { atMs, images: await Promise.all(view.layers.map((layer) => imageOf(layer, atMs, signal, isOnly))) };
  }
  const lowest = view.layers.find(({ isVisible }) => isVisible) ?? view.layers[0]!;
  const newest = await closestImage(lowest.sourceId, Date.now(), signal);
  return imagesOf({ ...view, atMs: Date.parse(newest.takenAt) }, signal);
}
