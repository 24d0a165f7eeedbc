// The heliographic grid and the limb, the same lines as in the explorer.
import type { PlanePoint } from '../../sun/coordinates/picture-plane.ts';
import type { Point } from '../../sun/coordinates/rings.ts';
import { gridRuns } from '../../sun/coordinates/solar-grid.ts';
import type { Size } from '../../sun/image.ts';
import { decimal, flagOverlay } from './overlay.ts';

const LINE_OPACITY = 0.32;
const LIMB_OPACITY = 0.55;
/** Room for half of a line. */
const MARGIN = 1;

/** The box of the disk in a frame, empty beside it. A view of a part of the Sun has the whole frame. */
function diskBox(frame: Size, centre: Point, radius: number) {
  const [x, y] = centre.map((at) => Math.max(Math.floor(at - radius) - MARGIN, 0));
  const right = Math.min(Math.ceil(centre[0] + radius) + MARGIN, Math.ceil(frame.width));
  const bottom = Math.min(Math.ceil(centre[1] + radius) + MARGIN, Math.ceil(frame.height));
  return { x: x!, y: y!, width: Math.max(right - x!, 0), height: Math.max(bottom - y!, 0) };
}

export const GRID = flagOverlay('grid', {
  description:
    'Lines of equal heliographic latitude and Stonyhurst longitude, every 15 degrees, and the limb, as the observer of the lowest layer sees them.',
  level: 'ground',
  headers: 'lowest',
  draw: (frame) => {
    const { scaleArcsecPerPixel, mapping, pixelOf } = frame;
    if (!mapping) return [];
    const { disc, screenOf, width = Number.POSITIVE_INFINITY } = mapping;
    const centre = pixelOf({ x: 0, y: 0 });
    const radius = (disc ?? 0) / scaleArcsecPerPixel;
    const box = disc === null ? { x: 0, y: 0, width: frame.width, height: frame.height } : diskBox(frame, centre, radius);
    const vertex = (point: PlanePoint, i: number, run: readonly PlanePoint[]): string => {
      const [x, y] = pixelOf(point);
      // Without the way around a picture with a seam.
      const isFirst = i === 0 || Math.abs(point.x - run[i - 1]!.x) > width / 2;
      return `${isFirst ? 'M' : 'L'}${decimal(x - box.x)} ${decimal(y - box.y)}`;
    };
    const path = gridRuns(screenOf).flatMap((run) => run.map(vertex));
    const lines = `<path d="${path.join('')}" stroke-opacity="${LINE_OPACITY}"/>`;
    const limb =
      disc === null
        ? ''
        : `<circle cx="${decimal(centre[0] - box.x)}" cy="${decimal(centre[1] - box.y)}" r="${decimal(radius)}" stroke-opacity="${LIMB_OPACITY}"/>`;
    return [{ ...box, svg: `<g fill="none" stroke="#fff">${limb}${lines}</g>` }];
  },
});
