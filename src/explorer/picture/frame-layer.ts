// A layer as the picture shows it.

import type { ImageLayer } from '../../picture/layers.ts';
import type { Operations } from '../../picture/operations/operations.ts';
import { frameOperations, isPlain, levelOperations, needsReference } from '../../picture/operations/operations.ts';
import { pictureKey } from '../../picture/picture.ts';
import type { ImageRecord } from '../api/image-record.ts';

/** A layer of the picture; `reference` is null also while it is not known. */
export interface ShownLayer<I = ImageRecord> extends ImageLayer<I> {
  /** Identity of a layer, which stays the same in successive frames. */
  readonly key: number;
  /** Percent. */
  readonly opacity: number;
}

/** The key of the tiles of a layer, which are before its colours. */
export const contentKey = (layer: ShownLayer): string => pictureKey([layer.image.id, levelOperations(layer)]);

/** A grey frame that a layer is drawn from: an image, with the operations for which the page has no arithmetic. */
export type LayerFrame = { readonly key: string; readonly image: ImageRecord; readonly operations: Operations };

/** The frame of a layer, and that of the image with which the page compares it. */
export function framesOf(layer: ShownLayer): readonly LayerFrame[] {
  const operations = frameOperations(layer);
  const frame = (image: ImageRecord) => ({ image, operations, key: pictureKey([image.id, operations]) });
  return (isPlain(operations) ? imagesOfLayer(layer) : [layer.image]).map(frame);
}

/** The images of a layer. */
export const imagesOfLayer = ({ image, reference }: ShownLayer): readonly ImageRecord[] =>
  reference ? [image, reference] : [image];

/** Whether the image to compare with is not known, or does not exist. */
export const lacksReference = (layer: ShownLayer): boolean => needsReference(layer) && !layer.reference;
