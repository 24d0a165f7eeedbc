// Paths on the sky, along which a time-distance map has its values.
import type { Helioprojective } from './sphere.ts';

/** A place of a path: arcseconds along it, and the places over its width. */
export interface PathPosition {
  readonly offset: number;
  readonly centre: Helioprojective;
  readonly across: readonly Helioprojective[];
}

/** The ends of a radial path. @param angle Position angle: degrees from north to east, which is to the left. `from`, `to`: arcseconds */
export function radialPath(angle: number, from: number, to: number): Helioprojective[] {
  const radians = (angle * Math.PI) / 180;
  return [from, to].map((radius) => ({ x: -radius * Math.sin(radians), y: radius * Math.cos(radians) }));
}

const between = (a: Helioprojective, b: Helioprojective) => Math.hypot(b.x - a.x, b.y - a.y);

/** Arcseconds from the first to the last vertex. */
export const pathLength = (vertices: readonly Helioprojective[]): number =>
  vertices.slice(1).reduce((sum, vertex, i) => sum + between(vertices[i]!, vertex), 0);

/** Positions each `step` arcseconds of a path, with places across its `width`, at right angles to its edge, at most `finest` apart. */
export function pathPositions(
  vertices: readonly Helioprojective[],
  { step, width, finest }: { readonly step: number; readonly width: number; readonly finest: number },
): PathPosition[] {
  const across = Math.max(1, Math.ceil(width / finest));
  const positions: PathPosition[] = [];
  let start = 0;
  const total = pathLength(vertices);
  const corners = vertices.filter((vertex, i) => i === 0 || between(vertices[i - 1]!, vertex) > 0);
  for (const [i, from] of corners.slice(0, -1).entries()) {
    const to = corners[i + 1]!;
    const length = between(from, to);
    const [along, aside] = [
      { x: (to.x - from.x) / length, y: (to.y - from.y) / length },
      { x: -(to.y - from.y) / length, y: (to.x - from.x) / length },
    ];
    const isLast = i === corners.length - 2;
    for (let offset = positions.length * step; offset < start + length || (isLast && offset <= total); ) {
      const centre = { x: from.x + (offset - start) * along.x, y: from.y + (offset - start) * along.y };
      const places = Array.from({ length: across }, (_, k) => {
        const away = ((k + 0.5) / across - 0.5) * width;
        return { x: centre.x + away * aside.x, y: centre.y + away * aside.y };
      });
      positions.push({ offset, centre, across: places });
      offset = positions.length * step;
    }
    start += length;
  }
  return positions;
}
