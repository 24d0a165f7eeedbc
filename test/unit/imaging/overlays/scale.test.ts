import { describe, expect, it } from 'vitest';
import { frameOverlays } from '../../../../src/picture/overlays/drawing/frame-overlays.ts';
import { barLabel, earthDiameterPixels, SCALE, type ScaleIndicator } from '../../../../src/picture/overlays/scale.ts';
import type { Size } from '../../../../src/sun/image.ts';
import { drawOverlays, inkBox, overlaid, overlayFrame, rasterAround, rasterOf } from '../../../support/imaging/overlays.ts';

const FRAME = { width: 1920, height: 1200 };
const EARTH_ARCSEC = 17.593;

/** `corner`: in pixels. */
function scaleOverlay(type: ScaleIndicator['type'], frame: Size, scaleArcsecPerPixel: number, corner: [number, number] | null) {
  const position = corner && { x: corner[0], y: -corner[1] };
  return SCALE.draw({ type, position }, overlayFrame({ ...frame, scaleArcsecPerPixel }))[0]!;
}

it.each([
  [2.42044, 7, 82],
  [0.6, 29, 82],
  [0.15, 117, 139],
  [20, 1, 82],
  [40, 0, 82],
])('the Earth scale draws, at %f arcseconds per pixel, an Earth of %i pixels in a box of %i', async (scale, diameter, height) => {
  const overlay = scaleOverlay('earth', FRAME, scale, null);
  expect(earthDiameterPixels(scale)).toBe(diameter);
  expect(overlay.height).toBe(height);
  expect(overlay.width).toBe(Math.max(95, diameter + 22));
  const isSea = ([r, , b]: number[]) => b! > r! + 20;
  const disc = inkBox(await rasterOf(overlay.svg, overlay), isSea);
  expect(disc?.width ?? 0).toBeGreaterThanOrEqual(diameter - 1);
  expect(disc?.width ?? 0).toBeLessThanOrEqual(diameter);
  expect(Math.abs((disc?.height ?? 0) - EARTH_ARCSEC / scale)).toBeLessThanOrEqual(1.5);
});

it('the Earth scale takes its position in arcseconds to the west and to the north of the centre of the Sun', () => {
  const view = { ...FRAME, left: -1200, top: -1000, scale: 2 };
  const corner = (scaleX: number, scaleY: number) => frameOverlays(overlaid(view, { scale: true, scaleX, scaleY }), {})[0];
  expect(corner(0, 0)).toMatchObject({ x: -1, y: 1200 - 82 });
  expect(corner(-1000, 900)).toMatchObject({ x: 100, y: 50 });
  expect(corner(-1000, -900)).toMatchObject({ x: 100, y: 950 });
  expect(corner(0, 900)).toMatchObject({ x: 600, y: 50 });
});

it.each([
  [0.6, '22,000 km'],
  [2.42044, '88,000 km'],
  [50, '1,812,000 km'],
  [0.05, '1,800 km'],
  [0.001, '36 km'],
])('the scale bar says, at %f arcseconds per pixel, %s', (scale, label) => {
  expect(barLabel(scale)).toBe(label);
});

it.each([0.6, 50])('the scale bar takes 50 pixels and keeps its label in the box, at %f arcseconds per pixel', async (scale) => {
  const overlay = scaleOverlay('scalebar', FRAME, scale, null);
  const isWhite = ([r]: number[]) => r! > 250;
  const below = `<g transform="translate(0 -39)">${overlay.svg}</g>`;
  expect(inkBox(await rasterOf(below, { width: overlay.width, height: 10 }), isWhite)).toMatchObject({ y: 1, width: 50 });
  expect(inkBox(await rasterAround(overlay, 5))).toEqual({ x: 5, y: 5, width: overlay.width, height: 56 });
});

describe('the Earth scale of a frame that shows nothing or a sliver of it', () => {
  it.each([
    [1, 1],
    [1, 4096],
    [4096, 5],
    [300, 2000],
  ])('draws without an error on %i x %i pixels', async (width, height) => {
    const overlay = scaleOverlay('earth', { width, height }, 0.01, null);
    const band = { pixels: new Uint8Array(width * height * 3), width, y0: 0, height };
    await expect(drawOverlays(band, { width, height }, [overlay])).resolves.toBeUndefined();
  });
});
