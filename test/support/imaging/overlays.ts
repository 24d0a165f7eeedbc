// Rasters of overlays, and measurements on them.
import { expect } from 'vitest';
import { drawPreparedOverlays, prepareRasteriser, rasterise, svgDocument } from '../../../src/picture/overlays/drawing/draw.ts';
import { KIT, type OverlaidRecipe } from '../../../src/picture/overlays/drawing/frame-overlays.ts';
import type { Box, Overlay, OverlayFrame } from '../../../src/picture/overlays/overlay.ts';
import { type OverlayParameters, parseOverlays } from '../../../src/picture/overlays/overlays.ts';
import type { Size } from '../../../src/sun/image.ts';

/** A picture with these overlays and no others, whose upper left corner is at the given arcseconds. */
export function overlaid(
  { width, height, scale, left = 0, top = 0 }: Size & { readonly scale: number; left?: number; top?: number },
  overlays: OverlayParameters = {},
  overlayMagnification = 1,
): OverlaidRecipe {
  const region = { left, top, right: left + width * scale, bottom: top + height * scale };
  const drawn = parseOverlays({ watermark: false, ...overlays });
  return { width, height, region, imageScaleArcsecPerPixel: scale, overlays: drawn, overlayMagnification };
}

/** A frame on which one overlay is drawn, at an arcsecond per pixel with the Sun's centre in its upper left corner. */
export function overlayFrame(fields: Size & Partial<OverlayFrame>): OverlayFrame {
  const empty = { captions: [], mapping: null, movies: [], bodies: null, taken: [], kit: KIT };
  const { scaleArcsecPerPixel = 1 } = fields;
  const pixelOf: OverlayFrame['pixelOf'] = ({ x, y }) => [x / scaleArcsecPerPixel, y / scaleArcsecPerPixel];
  const pixelAt = (x: number, y: number) => ({ x, y: -y });
  return { scaleArcsecPerPixel, pixelOf, pixelAt, ...empty, ...fields };
}

export interface Raster extends Size {
  /** R, G, B, A, premultiplied. */
  readonly pixels: Uint8Array;
}

/** Draws overlays onto the rows of the frame in the strip, with the rasteriser prepared. */
export async function drawOverlays(...drawing: Parameters<typeof drawPreparedOverlays>): Promise<void> {
  await prepareRasteriser();
  drawPreparedOverlays(...drawing);
}

export async function rasterOf(svg: string, { width, height }: Size): Promise<Raster> {
  await prepareRasteriser();
  const overlay = { x: 0, y: 0, width, height, svg };
  return { width, height, pixels: rasterise(svgDocument(overlay, overlay), width, height) };
}

/** An overlay with `margin` pixels around its box, to detect ink outside the box. */
export async function rasterAround(overlay: Overlay, margin: number): Promise<Raster> {
  const size = { width: overlay.width + 2 * margin, height: overlay.height + 2 * margin };
  return await rasterOf(`<g transform="translate(${margin} ${margin})">${overlay.svg}</g>`, size);
}

export function pixelAt({ pixels, width }: Raster, x: number, y: number): number[] {
  return [...pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
}

/** The smallest box around the pixels that `isInk` takes, or null. */
export function inkBox(raster: Raster, isInk: (rgba: number[]) => boolean = (rgba) => rgba[3]! > 0): Box | null {
  let [x0, y0, x1, y1] = [raster.width, raster.height, 0, 0];
  for (let y = 0; y < raster.height; y++) {
    for (let x = 0; x < raster.width; x++) {
      if (!isInk(pixelAt(raster, x, y))) continue;
      [x0, y0, x1, y1] = [Math.min(x0, x), Math.min(y0, y), Math.max(x1, x + 1), Math.max(y1, y + 1)];
    }
  }
  return x1 === 0 ? null : { x: x0, y: y0, width: x1 - x0, height: y1 - y0 };
}

/** Expects that an overlay draws something, and nothing outside its box. */
export async function expectInkInBox(overlay: Overlay): Promise<void> {
  const margin = 10;
  const ink = inkBox(await rasterAround(overlay, margin))!;
  expect(Math.min(ink.x, ink.y)).toBeGreaterThanOrEqual(margin);
  expect(ink.x + ink.width).toBeLessThanOrEqual(margin + overlay.width);
  expect(ink.y + ink.height).toBeLessThanOrEqual(margin + overlay.height);
}
