// Plots as PNG.
import { rgbPng } from '../encode/png.ts';
import { prepareRasteriser, rasterise } from '../overlays/draw.ts';

/** Rows that are encoded at once. */
const ROWS = 64;

/** R, G, B of an SVG document without transparent parts, row by row. */
export async function plotPixels(svg: string, width: number, height: number): Promise<Uint8Array> {
  await prepareRasteriser();
  const pixels = rasterise(svg, width, height);
  const rgb = new Uint8Array(3 * width * height);
  for (let i = 0; i < width * height; i++) {
    for (let channel = 0; channel < 3; channel++) rgb[3 * i + channel] = pixels[4 * i + channel]!;
  }
  return rgb;
}

/** R, G, B of each pixel as a PNG file. */
export async function pixelsPng(rgb: Uint8Array, width: number, height: number): Promise<Uint8Array> {
  const encoder = rgbPng(width, height);
  for (let y = 0; y < height; y += ROWS) {
    const rows = Math.min(ROWS, height - y);
    await encoder.write(rgb.subarray(3 * y * width, 3 * (y + rows) * width), rows);
  }
  return encoder.finish();
}
