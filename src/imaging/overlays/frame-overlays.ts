// All overlays of a frame in the order in which they are drawn.
import type { EventMark } from './event-mark.ts';
import { eventOverlays } from './events.ts';
import { moon } from './moon.ts';
import { type MovieMark, movieIcons } from './movie-icons.ts';
import { type ScaleKind, scaleOverlay } from './scale.ts';
import type { FrameSize, Overlay } from './svg.ts';
import { type WatermarkLine, watermark } from './watermark.ts';

/** What a frame shows besides its layers; what is not given is not drawn. */
export interface OverlayContent {
  readonly events?: readonly EventMark[];
  readonly movies?: readonly MovieMark[];
  /** `place`: upper left corner in pixels, or null for the lower left of the frame. */
  readonly scale?: { readonly kind: ScaleKind; readonly place: { readonly x: number; readonly y: number } | null };
  /** A line per layer. */
  readonly watermark?: readonly WatermarkLine[];
  readonly moon?: boolean;
}

export function frameOverlays(frame: FrameSize, scaleArcsecPerPixel: number, content: OverlayContent): Overlay[] {
  const { events = [], movies = [], scale } = content;
  const scaleBox = scale ? scaleOverlay(scale.kind, frame, scaleArcsecPerPixel, scale.place) : null;
  const furniture = [
    ...(scaleBox ? [scaleBox] : []),
    ...(content.watermark ? watermark(frame, content.watermark, scaleBox) : []),
  ];
  return [
    ...eventOverlays(events, frame, furniture),
    ...movieIcons(movies, frame),
    ...furniture,
    ...(content.moon ? [moon(frame, scaleArcsecPerPixel)] : []),
  ];
}
