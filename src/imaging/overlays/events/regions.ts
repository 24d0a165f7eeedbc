// Outlines of events, filled with the translucent colour of their type.

import { type Box, colour, decimal, type Overlay } from '../svg.ts';
import type { EventMarker, EventPoint } from './event-marker.ts';

/** Opacity of the fill, and of the black line over it. */
export const OUTLINE_OPACITY = { fill: 0.4, line: 0.53 } as const;

const LINE_WIDTH_PX = 1.5;
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

/** A path element of closed outlines in the translucent colour of a type. */
export function outlineElement(outlines: readonly (readonly EventPoint[])[], typeColour: string, linePx: number): string {
  const data = outlines.map((points) => `M${points.map(([x, y]) => `${decimal(x)} ${decimal(y)}`).join('L')}Z`).join('');
  const fill = `fill="${colour(typeColour)}" fill-opacity="${OUTLINE_OPACITY.fill}" fill-rule="evenodd"`;
  const line = `stroke="#000" stroke-opacity="${OUTLINE_OPACITY.line}" stroke-width="${linePx}" stroke-linejoin="round"`;
  return `<path d="${data}" ${fill} ${line}/>`;
}

/** One overlay per outline of at least three points. */
export function eventRegions(markers: readonly EventMarker[]): Overlay[] {
  return markers.flatMap((marker) =>
    marker.polygons
      .map(usable)
      .filter((points) => points.length >= 3)
      .map((points) => {
        const box = boxAround(points);
        const inBox = points.map(([x, y]): EventPoint => [x - box.x, y - box.y]);
        return { ...box, svg: outlineElement([inBox], marker.colour, LINE_WIDTH_PX) };
      }),
  );
}
