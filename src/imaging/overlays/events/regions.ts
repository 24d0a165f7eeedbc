// The outlines of events, filled in the colour of their type so that the Sun shows through.

import { type Box, colour, decimal, type Overlay } from '../svg.ts';
import type { EventMarker, EventPoint } from './event-marker.ts';

const FILL_OPACITY = 0.4;
const LINE = 'stroke="#000" stroke-opacity="0.53" stroke-width="1.5" stroke-linejoin="round"';
const LINE_REACH_PX = 2;

/** Points of an outline that are used: outlines in use have at most a few hundred. */
const MAX_POINTS = 2000;
/** Coordinates are cut to this, far outside of any frame, where pixels are still exact in single precision. */
const FARTHEST_PX = 100_000;

const within = (value: number) => Math.min(Math.max(value, -FARTHEST_PX), FARTHEST_PX);

function usable(polygon: readonly EventPoint[]): EventPoint[] {
  const points = polygon.slice(0, MAX_POINTS).filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y));
  return points.map(([x, y]) => [within(x), within(y)]);
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

/** One overlay for each outline of at least three points. */
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
