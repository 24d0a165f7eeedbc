import { expect, it } from 'vitest';
import { frameOverlays } from '../../../../src/picture/overlays/drawing/frame-overlays.ts';
import { imageObserver } from '../../../../src/sun/coordinates/observer.ts';
import { type PlanePoint, positionOf } from '../../../../src/sun/coordinates/picture-plane.ts';
import { drawOverlays, overlaid } from '../../../support/imaging/overlays.ts';

const FRAME = { width: 1000, height: 800 };
/** Arcseconds per pixel, and those of the upper left corner. */
const SCALE = 2.5;
const CORNER = { left: -1100, top: -950 };
/** A spacecraft a third of a turn ahead of the Earth, north of the equator. */
const AHEAD = imageObserver(
  Date.UTC(2012, 6, 1),
  1.44e11,
  new Map([
    ['HGLN_OBS', '118.5'],
    ['HGLT_OBS', '6.4'],
  ]),
);

async function drawn(magnification = 1, corner = CORNER): Promise<Uint8Array> {
  const pixels = new Uint8Array(FRAME.width * FRAME.height * 3);
  const picture = overlaid({ ...FRAME, scale: SCALE, ...corner }, { grid: true }, magnification);
  const overlays = frameOverlays(picture, { observer: AHEAD });
  await drawOverlays({ pixels, y0: 0, ...FRAME }, FRAME, overlays);
  return pixels;
}

const pixelOf = ({ x, y }: PlanePoint) => ({ x: (x - CORNER.left) / SCALE, y: (y - CORNER.top) / SCALE });

/** The brightest pixel within `reach` pixels of a point. */
function brightest(pixels: Uint8Array, { x, y }: PlanePoint, reach: number): number {
  let most = 0;
  for (let row = Math.floor(y) - reach; row <= Math.floor(y) + reach; row++)
    for (let column = Math.floor(x) - reach; column <= Math.floor(x) + reach; column++)
      most = Math.max(most, pixels[(row * FRAME.width + column) * 3]!);
  return most;
}

/** Stonyhurst longitude and latitude; the disk of this observer is centred on longitude 118.5. */
const ON_LINES = [
  [120, 3],
  [105, 33],
  [87, 30],
  [150, -21],
  [132, -45],
  [63, 0],
  [171, 60],
] as const;
const BETWEEN_LINES = [
  [112.5, 7.5],
  [127.5, -22.5],
  [97.5, 37.5],
  [142.5, 22.5],
] as const;

it.each([1, 2])('the solar grid draws its lines where the observer sees them, magnified by %d', async (magnification) => {
  const pixels = await drawn(magnification);
  const place = ([longitude, latitude]: readonly [number, number]) => pixelOf(positionOf({ longitude, latitude }, AHEAD)!);
  for (const point of ON_LINES) expect([point, brightest(pixels, place(point), 1) > 40]).toEqual([point, true]);
  for (const point of BETWEEN_LINES) expect([point, brightest(pixels, place(point), 4)]).toEqual([point, 0]);
});

it('the solar grid leaves a frame beside the Sun empty', async () => {
  const pixels = await drawn(1, { left: 3000, top: -200 });
  expect(pixels.every((value) => value === 0)).toBe(true);
});
