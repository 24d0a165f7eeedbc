// All overlays of a frame, in drawing order.
import { moon } from './drawings.ts';
import type { EventMarker, EventPoint } from './events/event-marker.ts';
import { eventOverlays } from './events/events.ts';
import { type MovieMarker, movieIcons } from './events/movie-icons.ts';
import { type ScaleKind, scaleOverlay } from './scale.ts';
import { type GridContent, solarGrid } from './solar-grid.ts';
import { decimal, type FrameSize, type Overlay } from './svg.ts';
import { type WatermarkLine, watermark } from './watermark.ts';

/** Content of a frame above its layers. Absent fields are not drawn. */
export interface OverlayContent {
  readonly events?: readonly EventMarker[];
  readonly movies?: readonly MovieMarker[];
  readonly grid?: GridContent;
  /** `place`: upper left corner in pixels, or null for the lower left of the frame. */
  readonly scale?: { readonly kind: ScaleKind; readonly place: { readonly x: number; readonly y: number } | null };
  /** A line per layer. */
  readonly watermark?: readonly WatermarkLine[];
  readonly moon?: boolean;
}

function layOut(frame: FrameSize, scaleArcsecPerPixel: number, content: OverlayContent): Overlay[] {
  const { events = [], movies = [], scale } = content;
  const scaleBox = scale ? scaleOverlay(scale.kind, frame, scaleArcsecPerPixel, scale.place) : null;
  const furniture = [
    ...(scaleBox ? [scaleBox] : []),
    ...(content.watermark ? watermark(frame, content.watermark, scaleBox) : []),
  ];
  return [
    ...(content.grid ? [solarGrid(frame, scaleArcsecPerPixel, content.grid)] : []),
    ...eventOverlays(events, frame, furniture),
    ...movieIcons(movies, frame),
    ...furniture,
    ...(content.moon ? [moon(frame, scaleArcsecPerPixel)] : []),
  ];
}

/** The content in pixels of a frame that is `magnification` times smaller. */
function reduced({ events, movies, scale, ...content }: OverlayContent, magnification: number): OverlayContent {
  const point = ([x, y]: EventPoint): EventPoint => [x / magnification, y / magnification];
  const place = <P extends { readonly x: number; readonly y: number }>(at: P): P => ({
    ...at,
    x: at.x / magnification,
    y: at.y / magnification,
  });
  const reducedEvents = events?.map((marker) => ({
    ...place(marker),
    ...(marker.anchor ? { anchor: point(marker.anchor) } : {}),
    polygons: marker.polygons.map((polygon) => polygon.map(point)),
  }));
  return {
    ...content,
    ...(reducedEvents ? { events: reducedEvents } : {}),
    ...(movies ? { movies: movies.map(place) } : {}),
    ...(scale ? { scale: { ...scale, place: scale.place && place(scale.place) } } : {}),
  };
}

/** An overlay of the smaller frame in the full-size frame, in a box of whole pixels. */
function magnified({ x, y, width, height, svg }: Overlay, magnification: number): Overlay {
  const [left, top] = [x * magnification, y * magnification];
  const box = { x: Math.floor(left), y: Math.floor(top) };
  const moved = `translate(${decimal(left - box.x)} ${decimal(top - box.y)})`;
  return {
    ...box,
    width: Math.ceil((x + width) * magnification) - box.x,
    height: Math.ceil((y + height) * magnification) - box.y,
    svg: `<g transform="${moved} scale(${magnification})">${svg}</g>`,
  };
}

/**
 * The overlays of a frame.
 *
 * @param magnification Factor by which pins, text, logo and indicators are enlarged; the places that they mark do not move.
 *   Overlays are laid out in a frame that is this much smaller, and scaled up.
 */
export function frameOverlays(
  frame: FrameSize,
  scaleArcsecPerPixel: number,
  content: OverlayContent,
  magnification = 1,
): Overlay[] {
  if (magnification === 1) return layOut(frame, scaleArcsecPerPixel, content);
  const smaller = { width: frame.width / magnification, height: frame.height / magnification };
  const overlays = layOut(smaller, scaleArcsecPerPixel * magnification, reduced(content, magnification));
  return overlays.map((overlay) => magnified(overlay, magnification));
}
