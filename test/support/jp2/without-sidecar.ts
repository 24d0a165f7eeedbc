// Codestreams of one component that cannot have a coefficient sidecar: a region of interest, several tiles, large quantiser indexes.
import { encodeSamples } from '../../../demo/jp2/openjpeg.ts';
import { makeRaster, type Raster, randomNumbers } from '../imaging/rasters.ts';
import { findMarker, handMade, overwrite, segment } from './codestreams.ts';

const SIDE = 256;
const OPTIONS = { lossless: true, levels: 2 };

const rasterOf = (seed: number): Raster => makeRaster({ width: SIDE, height: SIDE, seed });

/**
 * The whole image is the region: an RGN segment raises the bit-planes of each subband by the shift, and with them all coded
 * magnitudes (H.1).
 */
export function regionOfInterest() {
  const raster = rasterOf(3);
  const stream = encodeSamples(raster, OPTIONS);
  const at = findMarker(stream, 0xff90);
  const region = segment(0xff5e, [0, 0, 12]);
  return {
    stream: Uint8Array.from([...stream.subarray(0, at), ...region, ...stream.subarray(at)]),
    samples: raster.components[0]!,
  };
}

/** Two tiles side by side, coded apart: their corners are multiples of all code-blocks, so that their packets stay as they are. */
export function severalTiles() {
  const rasters = [rasterOf(4), rasterOf(5)];
  const [left, right] = rasters.map((raster) => encodeSamples(raster, OPTIONS)) as [Uint8Array, Uint8Array];
  const wide = overwrite(left, 2 + 2 + 2 + 2, 0, 0, (2 * SIDE) >> 8, 0);
  const second = right.slice(findMarker(right, 0xff90));
  second[5] = 1;
  const samples = Int32Array.from({ length: 2 * SIDE * SIDE }, (_, i) => {
    const [x, y] = [i % (2 * SIDE), Math.floor(i / (2 * SIDE))];
    return rasters[x < SIDE ? 0 : 1]!.components[0]![y * SIDE + (x % SIDE)]!;
  });
  return { stream: Uint8Array.from([...wide.subarray(0, -2), ...second]), samples };
}

/** Bytes of bits, with a zero bit after each byte 0xff (B.10.1). */
function stuffed(bits: string): number[] {
  const bytes: number[] = [];
  for (let at = 0; at < bits.length; ) {
    const count = bytes.at(-1) === 0xff ? 7 : 8;
    bytes.push(Number.parseInt(bits.slice(at, at + count).padEnd(count, '0'), 2));
    at += count;
  }
  return bytes;
}

/** One code-block of 24 bit-planes, whose arithmetic code is noise. */
export function largeIndexes() {
  const [planes, length] = [24, 2000];
  const passes = 3 * planes - 2;
  const bits = (value: number, count: number): string => value.toString(2).padStart(count, '0');
  // Not empty, included, no zero bit-planes; passes (Table B.4); two more bits for the length than three and those of the passes.
  const header = `1${'1'}${'1'}${'1'.repeat(9)}${bits(passes - 37, 7)}${'110'}${bits(length, 11)}`;
  const random = randomNumbers(6);
  const body = Array.from({ length }, () => Math.floor(random() * 255));
  const quantisation = segment(0xff5d, [0, 0x40, (planes - 1) << 3]);
  const stream = handMade({ width: 64, height: 64, more: quantisation, packets: [...stuffed(header), ...body] });
  return { stream, samples: null };
}
