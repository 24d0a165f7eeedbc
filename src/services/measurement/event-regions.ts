// Outlines of events as regions of images.
import { earthObserver } from '../../domain/coordinates/observer.ts';
import { type Stonyhurst, stonyhurstOf, surfacePoint } from '../../domain/coordinates/sphere.ts';
import { badParameter } from '../../domain/errors.ts';
import type { SolarEvent } from '../../domain/events/solar-event.ts';
import type { OutlineRegion } from './regions.ts';

/** Vertices of an outline; of longer ones every second or third is taken. */
const VERTICES = 400;

/**
 * The places on the Sun of the outline with the most vertices, which is the one that pictures show.
 * @throws Failure `bad-parameter` for an event without an outline, or one that reaches beyond the disc
 */
export function outlineRegion({ id, outlines, position }: SolarEvent): OutlineRegion {
  const [longest] = outlines.toSorted((a, b) => b.length - a.length);
  if (!longest || longest.length < 3) {
    const place =
      position.kind === 'helioprojective'
        ? ` It was reported at ${position.x},${position.y} arcseconds: give circle with a radius.`
        : '';
    throw badParameter('eventId', `an event with an outline.${place}`.replace(/\.$/, ''), id);
  }
  const observer = earthObserver(position.atMs);
  const step = Math.ceil(longest.length / VERTICES);
  const places = longest.flatMap(([x, y], i): Stonyhurst[] => {
    const point = i % step === 0 ? surfacePoint({ x, y }, observer) : null;
    return point ? [stonyhurstOf(point, observer.b0Degrees)] : [];
  });
  if (places.length < Math.ceil(longest.length / step)) {
    throw badParameter('eventId', 'an event on the disc (for what is beside the Sun, give x, y, width and height)', id);
  }
  return { kind: 'outline', frame: 'helioprojective', id, atMs: position.atMs, places };
}
