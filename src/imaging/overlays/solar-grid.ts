// The heliographic grid and the limb, the same lines as those of the explorer.
import { limbRadius, type PlanePoint, type ViewObserver } from '../../domain/coordinates/picture-plane.ts';
import { gridLines } from '../../domain/coordinates/solar-grid.ts';
import { decimal, type FrameSize, type Overlay } from './svg.ts';

export interface GridContent {
  /** Upper left corner of the frame: x to the west, y DOWN, from the Sun's centre as seen from 1 au. */
  readonly leftArcsec: number;
  readonly topArcsec: number;
  readonly observer: ViewObserver;
}

const LINE_OPACITY = 0.32;
const LIMB_OPACITY = 0.55;
/** Room for half of a line. */
const MARGIN = 1;

/** The box of the disk in a frame, empty beside it. A view of a part of the Sun has the whole frame. */
function diskBox(frame: FrameSize, centre: PlanePoint, radius: number) {
  const [x, y] = [centre.x, centre.y].map((at) => Math.max(Math.floor(at - radius) - MARGIN, 0));
  const right = Math.min(Math.ceil(centre.x + radius) + MARGIN, Math.ceil(frame.width));
  const bottom = Math.min(Math.ceil(centre.y + radius) + MARGIN, Math.ceil(frame.height));
  return { x: x!, y: y!, width: Math.max(right - x!, 0), height: Math.max(bottom - y!, 0) };
}

/** Lines of equal latitude and longitude on the visible hemisphere, and the limb. */
export function solarGrid(
  frame: FrameSize,
  scaleArcsecPerPixel: number,
  { leftArcsec, topArcsec, observer }: GridContent,
): Overlay {
  const pixelOf = ({ x, y }: PlanePoint): PlanePoint => ({
    x: (x - leftArcsec) / scaleArcsecPerPixel,
    y: (y - topArcsec) / scaleArcsecPerPixel,
  });
  const centre = pixelOf({ x: 0, y: 0 });
  const radius = limbRadius(observer) / scaleArcsecPerPixel;
  const box = diskBox(frame, centre, radius);
  const place = (point: PlanePoint): string => {
    const { x, y } = pixelOf(point);
    return `${decimal(x - box.x)} ${decimal(y - box.y)}`;
  };
  const path = gridLines(observer)
    .map((line) => `M${line.map(place).join('L')}`)
    .join('');
  const lines = `<path d="${path}" stroke-opacity="${LINE_OPACITY}"/>`;
  const limb = `<circle cx="${decimal(centre.x - box.x)}" cy="${decimal(centre.y - box.y)}" r="${decimal(radius)}" stroke-opacity="${LIMB_OPACITY}"/>`;
  return { ...box, svg: `<g fill="none" stroke="#fff">${limb}${lines}</g>` };
}
