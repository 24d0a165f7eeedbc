// A layer as the picture shows it.
import type { ColourRange } from '../../../domain/explorer/display/colour-range.ts';
import type { Difference } from '../../../domain/recipe/difference.ts';
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

/** A tile that can be drawn in the colours of any range. */
export interface ColourableTile {
  inRange(range: ColourRange): Promise<Blob>;
}
