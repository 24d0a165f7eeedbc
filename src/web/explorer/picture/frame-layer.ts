// A layer as the picture shows it.

import type { Difference } from '../../../picture/operations/difference.ts';
import type { ColourRange } from '../../../picture/operations/range.ts';
import type { ImageRecord } from '../api/image-record.ts';

/** What changes on the screen without a request. */
export interface LayerStyle {
  /** Percent. */
  readonly opacity: number;
  readonly range: ColourRange;
}

export interface FrameLayer extends LayerStyle {
  /** The same for a layer in successive frames. */
  readonly key: number;
  readonly image: ImageRecord;
  readonly difference: Difference;
  /** The image that the difference subtracts; null without one, and while it is not known. */
  readonly older: ImageRecord | null;
}

/** The images of layers, with those that they are compared with. */
export const imagesOfLayers = (layers: readonly FrameLayer[]): ImageRecord[] =>
  layers.flatMap(({ image, older }) => (older ? [image, older] : [image]));

/** Whether the image to compare with is not known, or does not exist. */
export const lacksOlder = ({ difference, older }: FrameLayer): boolean => difference.kind !== 'none' && !older;

/** A tile that can be drawn in the colours of any range. */
export interface ColourableTile {
  inRange(range: ColourRange): Promise<Blob>;
}
