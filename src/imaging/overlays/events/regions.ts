// Outlines of events, filled with the translucent colour of their type.

import { type Box, colour, decimal, type Overlay } from '../svg.ts';
import type { EventMarker, EventPoint } from './event-marker.ts';

const FILL_OPACITY = 0.4;
const LINE = 'stroke="#000" stroke-opacity="0.53" stroke-width="1.5" stroke-linejoin="round"';
const LINE_REACH_PX = 2;

/** Points used of an outline; real outlines have at most a few hundred. */
const MAX_POINTS = 2000;
/** Coordinates are clamped to this: far outside any frame, yet exact in single precision. */
const MAX_COORDINATE_PX = 100_000;

const clamp = (value: number) => Math.min(Math.max(value, -MAX_COORDINATE_PX), MAX_COORDINATE_PX);

function usable(polygon: readonly EventPoint[]): EventPoint[] {
  const points = polygon.slice(0, MAX_POINTS).filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y));
  return points.map(([x, y]) => [clamp(x), clamp(y)]);
}

function boxAround(points: readonly EventPoint[]): Box {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const x = Math.floor(Math.min(...xs)) - LINE_REACH_PX;
  const y = Math.floor(Math.min(...ys)) - LINE_REACH_PX;
  return {
    x,
    y,
    width: Math.ceil(Math.max(...xs)) + LINE_REACH_PX - x,
    height: Math.ceil(Math.max(...ys)) + LINE_REACH_PX - y,
  };
}

/** One overlay per outline of at least three points. */
export function eventRegions(markers: readonly EventMarker[]): Overlay[] {
  return markers.flatMap((marker) =>
    marker.polygons
      .map(usable)
      .filter((points) => points.length >= 3)
      .map((points) => {
        const box = boxAround(points);
        const path = points.map(([x, y]) => `${decimal(x - box.x)} ${decimal(y - box.y)}`).join('L');
        return { ...box, svg: `<path d="M${path}Z" fill="${colour(marker.colour)}" fill-opacity="${FILL_OPACITY}" ${LINE}/>` };
      }),
  );
}
