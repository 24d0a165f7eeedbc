// A small Sun that shows which part of it is on the screen, when that is not all of it.
import { limbRadius } from '../../../domain/coordinates/picture-plane.ts';
import { observer } from '../store/observer.ts';
import { camera, pictureSize } from '../store/state.ts';
import { texts } from '../texts.ts';
import { onSun } from './geometry.ts';

const SIDE = 84;
/** Solar radii from the centre to the edge of the map. */
const REACH = 1.35;
const SMALLEST_BOX = 4;

export function Locator() {
  const [view, size, from] = [camera.value, pictureSize.value, observer.value];
  if (!view || !from) return null;
  const limb = limbRadius(from);
  const corners = [onSun(view, size, { x: 0, y: 0 }), onSun(view, size, { x: size.width, y: size.height })] as const;
  const isWhole = corners[0].x < -limb && corners[0].y < -limb && corners[1].x > limb && corners[1].y > limb;
  if (isWhole) return null;
  const pixels = (arcsec: number) => Math.min(Math.max((arcsec / (limb * REACH) + 1) * (SIDE / 2), 1), SIDE - 1);
  const [left, top, right, bottom] = [pixels(corners[0].x), pixels(corners[0].y), pixels(corners[1].x), pixels(corners[1].y)];
  return (
    <svg class="locator" viewBox={`0 0 ${SIDE} ${SIDE}`} role="img" aria-label={texts.locator}>
      <circle cx={SIDE / 2} cy={SIDE / 2} r={SIDE / 2 / REACH} />
      <rect x={left} y={top} width={Math.max(right - left, SMALLEST_BOX)} height={Math.max(bottom - top, SMALLEST_BOX)} />
    </svg>
  );
}
