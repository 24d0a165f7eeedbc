// Frames as the movie worker hands them to an encoder.
import { composeYuv420, yuv420Bytes } from '../../../src/picture/raster/compose.ts';

/** An RGB picture of even sides as limited-range 4:2:0 of BT.709. */
export function yuvOf(rgb: Uint8Array, width: number, height: number): Uint8Array {
  const out = new Uint8Array(yuv420Bytes(width, height));
  composeYuv420({ width, height, y0: 0, layers: [], drawAbove: ({ pixels }) => pixels.set(rgb) }, out);
  return out;
}
