// The heliographic grid and the limb, the same lines as in the explorer.
import { limbRadius, type PlanePoint } from '../../sun/coordinates/picture-plane.ts';
import { gridLines, gridRuns } from '../../sun/coordinates/solar-grid.ts';
import type { Size } from '../../sun/image.ts';
import type { Mapping } from '../projections/mapping.ts';
import { decimal, flagOverlay } from './overlay.ts';

const LINE_OPACITY = 0.32;
const LIMB_OPACITY = 0.55;
/** Room for half of a line. */
const MARGIN = 1;

/** The box of the disk in a frame, empty beside it. A view of a part of the Sun has the whole frame. */
function diskBox(frame: Size, centre: PlanePoint, radius: number) {
  const [x, y] = [centre.x, centre.y].map((at) => Math.max(Math.floor(at - radius) - MARGIN, 0));
  const right = Math.min(Math.ceil(centre.x + radius) + MARGIN, Math.ceil(frame.width));
  const bottom = Math.min(Math.ceil(centre.y + radius) + MARGIN, Math.ceil(frame.height));
  return { x: x!, y: y!, width: Math.max(right - x!, 0), height: Math.max(bottom - y!, 0) };
}

/** Lines without the way around a picture with a seam. */
const unbroken = (runs: readonly (readonly PlanePoint[])[], { width = Number.POSITIVE_INFINITY }: Mapping): PlanePoint[][] =>
  runs.flatMap((run) => {
    const parts: PlanePoint[][] = [];
    for (const [i, point] of run.entries()) {
      if (i === 0 || Math.abs(point.x - run[i - 1]!.x) > width / 2) parts.push([]);
      parts.at(-1)!.push(point);
    }
    return parts.filter(({ length }) => length > 1);
  });

export const GRID = flagOverlay('grid', {
  description:
    'Lines of equal heliographic latitude and Stonyhurst longitude, every 15 degrees, and the limb, as the observer of the lowest layer sees them.',
  level: 'ground',
  headers: 'lowest',
  draw: (frame) => {
    const { leftArcsec, topArcsec, scaleArcsecPerPixel, observer, mapping } = frame;
    if (!observer) return [];
    const pixelOf = ({ x, y }: PlanePoint): PlanePoint => ({
      x: (x - leftArcsec) / scaleArcsecPerPixel,
      y: (y - topArcsec) / scaleArcsecPerPixel,
    });
    const centre = pixelOf({ x: 0, y: 0 });
    const disc = mapping ? mapping.disc : limbRadius(observer);
    const radius = (disc ?? 0) / scaleArcsecPerPixel;
    const box = disc === null ? { x: 0, y: 0, width: frame.width, height: frame.height } : diskBox(frame, centre, radius);
    const vertex = (point: PlanePoint): string => {
      const { x, y } = pixelOf(point);
      return `${decimal(x - box.x)} ${decimal(y - box.y)}`;
    };
    const runs = mapping ? unbroken(gridRuns(mapping.screenOf), mapping) : gridLines(observer);
    const path = runs.map((line) => `M${line.map(vertex).join('L')}`).join('');
    const lines = `<path d="${path}" stroke-opacity="${LINE_OPACITY}"/>`;
    const limb =
      disc === null
        ? ''
        : `<circle cx="${decimal(centre.x - box.x)}" cy="${decimal(centre.y - box.y)}" r="${decimal(radius)}" stroke-opacity="${LIMB_OPACITY}"/>`;
    return [{ ...box, svg: `<g fill="none" stroke="#fff">${limb}${lines}</g>` }];
  },
});
