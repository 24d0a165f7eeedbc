// Overlays larger than they are laid out: in a frame that is as much smaller, from which they are drawn as large as the frame is.
import type { EventPoint } from './events/event-marker.ts';
import type { OverlayContent } from './overlay-content.ts';
import { decimal, type FrameSize, type Overlay } from './svg.ts';

/** What a frame shows, in pixels of one that is `magnification` times smaller. */
export function reduced({ events, movies, scale, ...content }: OverlayContent, magnification: number): OverlayContent {
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

export function reducedFrame({ width, height }: FrameSize, magnification: number): FrameSize {
  return { width: width / magnification, height: height / magnification };
}

/** An overlay of the smaller frame in the larger one, in a box of whole pixels. */
export function magnified({ x, y, width, height, svg }: Overlay, magnification: number): Overlay {
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
