// Where the Sun and the edges of an image are in a picture that a viewer has drawn.
import { fitLimb, type LimbSign } from '../support/imaging/limb.ts';
import { readPng } from '../support/imaging/read-png.ts';
import type { RgbFrame } from '../support/imaging/rgb-frame.ts';

export interface Circle {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

/** The grey of a PNG, because colours of viewers need not be those of the instrument. */
function greyOf(png: Uint8Array): RgbFrame {
  const { width, height, rgba } = readPng(png);
  const pixels = new Uint8Array(3 * width * height);
  for (let i = 0; i < width * height; i++) {
    const at = 4 * i;
    pixels.fill((rgba[at]! + rgba[at + 1]! + rgba[at + 2]!) / 3, 3 * i, 3 * i + 3);
  }
  return { width, height, pixels };
}

/** The circle of the limb in a PNG, in pixels, near the expected one. @throws Error when it is not round there */
export function limbIn(png: Uint8Array, expected: Circle, sign: LimbSign): Circle {
  const { x, y, radius, kept, rms } = fitLimb(greyOf(png), expected, sign);
  if (!(kept > 0.5))
    throw new Error(`Expected a round limb in the picture, got one for ${kept} of the rays within ${rms} pixels.`);
  return { x, y, radius };
}

/** The edges of what is lighter than the black around it in a PNG, in whole pixels. */
export function edgesIn(png: Uint8Array) {
  const { width, height, pixels } = greyOf(png);
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let i = 0; i < width * height; i++) {
    if (pixels[3 * i] === 0) continue;
    const [column, row] = [i % width, Math.floor(i / width)];
    [left, right] = [Math.min(left, column), Math.max(right, column + 1)];
    [top, bottom] = [Math.min(top, row), Math.max(bottom, row + 1)];
  }
  return { left, top, right, bottom };
}
