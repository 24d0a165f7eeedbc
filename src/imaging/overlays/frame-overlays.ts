// All overlays of a frame in the order in which they are drawn.
import { eventOverlays } from './events/events.ts';
import { movieIcons } from './events/movie-icons.ts';
import { magnified, reduced, reducedFrame } from './magnified.ts';
import { moon } from './moon.ts';
import type { OverlayContent } from './overlay-content.ts';
import { scaleOverlay } from './scale.ts';
import type { FrameSize, Overlay } from './svg.ts';
import { watermark } from './watermark.ts';

function laidOut(frame: FrameSize, scaleArcsecPerPixel: number, content: OverlayContent): Overlay[] {
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

/** @param magnification How much larger than in other pictures pins, letters, logo and indicators are; not what they point at */
export function frameOverlays(
  frame: FrameSize,
  scaleArcsecPerPixel: number,
  content: OverlayContent,
  magnification = 1,
): Overlay[] {
  if (magnification === 1) return laidOut(frame, scaleArcsecPerPixel, content);
  const overlays = laidOut(
    reducedFrame(frame, magnification),
    scaleArcsecPerPixel * magnification,
    reduced(content, magnification),
  );
  return overlays.map((overlay) => magnified(overlay, magnification));
}
