import type { EventMarker } from './events/event-marker.ts';
import type { MovieMarker } from './events/movie-icons.ts';
import type { ScaleKind } from './scale.ts';
import type { WatermarkLine } from './watermark.ts';

/** What a frame shows besides its layers; what is not given is not drawn. */
export interface OverlayContent {
  readonly events?: readonly EventMarker[];
  readonly movies?: readonly MovieMarker[];
  /** `place`: upper left corner in pixels, or null for the lower left of the frame. */
  readonly scale?: { readonly kind: ScaleKind; readonly place: { readonly x: number; readonly y: number } | null };
  /** A line per layer. */
  readonly watermark?: readonly WatermarkLine[];
  readonly moon?: boolean;
}
