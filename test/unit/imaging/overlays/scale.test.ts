import { describe, expect, it } from 'vitest';
import { barLabel, earthDiameterPixels, scaleOverlay, scalePlace } from '../../../../src/imaging/overlays/scale.ts';
import { drawOverlays, inkBox, rasterAround, rasterOf } from '../../../support/imaging/overlays.ts';

const FRAME = { width: 1920, height: 1200 };
const EARTH_ARCSEC = 17.593;

describe('the Earth scale', () => {
  it.each([
    [2.42044, 7, 82],
    [0.6, 29, 82],
    [0.15, 117, 139],
    [20, 1, 82],
    [40, 0, 82],
  ])('at %f arcseconds per pixel has an Earth of %i pixels in a box of %i', async (scale, diameter, height) => {
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

  it('stands in the lower left corner unless placed', () => {
    expect(scaleOverlay('earth', FRAME, 0.6, null)).toMatchObject({ x: -1, y: 1200 - 82 });
    expect(scaleOverlay('earth', FRAME, 0.15, null)).toMatchObject({ x: -1, y: 1200 - 139 });
    expect(scaleOverlay('scalebar', FRAME, 0.6, null)).toMatchObject({ x: -1, y: 1200 - 56 });
    expect(scaleOverlay('earth', FRAME, 0.6, { x: 30, y: 40 })).toMatchObject({ x: 30, y: 40 });
  });

  it('is placed by arcseconds to the west and to the north of the centre of the Sun', () => {
    const view = { leftArcsec: -1200, topArcsec: -1000, scaleArcsecPerPixel: 2 };
    expect(scalePlace(0, 0, view)).toBeNull();
    expect(scalePlace(-1000, 900, view)).toEqual({ x: 100, y: 50 });
    expect(scalePlace(-1000, -900, view)).toEqual({ x: 100, y: 950 });
    expect(scalePlace(0, 900, view)).toEqual({ x: 600, y: 50 });
  });
});

describe('the scale bar', () => {
  it.each([
    [0.6, '22,000 km'],
    [2.42044, '88,000 km'],
    [50, '1,812,000 km'],
    [0.05, '1,800 km'],
    [0.001, '36 km'],
  ])('at %f arcseconds per pixel says %s', (scale, label) => {
    expect(barLabel(scale)).toBe(label);
  });

  it.each([0.6, 50])('is 50 pixels long and its label stays in the box, at %f arcseconds per pixel', async (scale) => {
    const overlay = scaleOverlay('scalebar', FRAME, scale, null);
    const isWhite = ([r]: number[]) => r! > 250;
    const below = `<g transform="translate(0 -39)">${overlay.svg}</g>`;
    expect(inkBox(await rasterOf(below, { width: overlay.width, height: 10 }), isWhite)).toMatchObject({ y: 1, width: 50 });
    expect(inkBox(await rasterAround(overlay, 5))).toEqual({ x: 5, y: 5, width: overlay.width, height: 56 });
  });
});

describe('a frame that shows nothing or a sliver of the Earth', () => {
  it.each([
    [1, 1],
    [1, 4096],
    [4096, 5],
    [300, 2000],
  ])('of %i x %i pixels is drawn all the same', async (width, height) => {
    const overlay = scaleOverlay('earth', { width, height }, 0.01, null);
    const band = { pixels: new Uint8Array(width * height * 3), channels: 3 as const, width, y0: 0, height };
    await expect(drawOverlays(band, { width, height }, [overlay])).resolves.toBeUndefined();
  });
});
