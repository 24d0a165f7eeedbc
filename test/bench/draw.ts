// Drawing by stages, on a picture of 1920 x 1200 and on tiles of 512 x 512; and the copies of pixels between the calls of the core. The least of
// several rounds counts, which other work on the machine affects least.
import { allocate, bytesAt, copyIn, withCore } from '../../src/jp2/core/core.ts';
import {
  COLOUR,
  colouredPixels,
  encodeIndexedPng,
  encodeRgbaPng,
  PngWriter,
  WHOLE_PNG,
  wholeLayer,
} from '../../src/picture/encode/png.ts';
import { composeRgb, composeYuv420, drawOver, type LayerPixels, yuv420Bytes } from '../../src/picture/raster/compose.ts';
import { blackAlpha, ringAlpha } from '../../src/picture/raster/mask.ts';
import { divide, resample, subtract, triangleTaps } from '../../src/picture/raster/resample.ts';
import { scramble } from '../support/imaging/strips.ts';
import { time } from './measure.ts';
import type { Bench, BenchResult } from './run.ts';

const ROUNDS = 31;
const [WIDTH, HEIGHT] = [1920, 1200];
/** Samples per pixel, as of a level that is reduced by 1.65. */
const STEP = 1.65;
const SIDE = Math.ceil(WIDTH * STEP);
const WHOLE = { x0: 0, y0: 0, x1: WIDTH, y1: HEIGHT };
const RING = {
  inner: { x: 960, y: 600, radius: 200 },
  outer: { x: 960, y: 600, radius: 580 },
  softness: 0,
  masksDownloads: false,
};

const noise = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => 100 + (scramble(i) & 31));

interface Stage {
  readonly name: string;
  readonly draw: () => void;
}

function stages(): Stage[] {
  const axis = (count: number) => triangleTaps({ start: 0, step: STEP, count, size: SIDE, reduce: 0 });
  const [x, y] = [axis(WIDTH), axis(HEIGHT)];
  const window = noise((x.end - x.first) * (y.end - y.first));
  const samples = noise(WIDTH * HEIGHT);
  const older = samples.toReversed();
  const grid = { left: 0, top: 0, step: 1, width: WIDTH, height: HEIGHT };
  const alpha = ringAlpha(RING, grid, WHOLE);
  const layer: LayerPixels = { width: WIDTH, height: HEIGHT, samples, covered: WHOLE, alpha: null, palette: noise(768) };
  const strip = { width: WIDTH, height: HEIGHT, y0: 0, layers: [{ pixels: layer, opacity: 100 }], drawAbove: () => {} };
  const rgb = new Uint8Array(3 * WIDTH * HEIGHT);
  const yuv = new Uint8Array(yuv420Bytes(WIDTH, HEIGHT));
  const out = new Uint8Array(WIDTH * HEIGHT);
  const above = new Uint8Array(3 * WIDTH);
  const filter = () =>
    withCore((core) => {
      const filtered = allocate(core, rgb.length + HEIGHT);
      core.filterRows(copyIn(core, above), copyIn(core, rgb), above.length, HEIGHT, 3, filtered);
      core.adler32(1, filtered, rgb.length + HEIGHT);
    });
  const png = () => {
    const writer = new PngWriter(WIDTH, HEIGHT, COLOUR.rgb);
    writer.add(rgb, HEIGHT);
    writer.end();
  };
  return [
    { name: 'resampling', draw: () => resample(window, x, y, out, WIDTH) },
    { name: 'difference', draw: () => subtract(out, older) },
    { name: 'ratio', draw: () => divide(out, older) },
    { name: 'mask', draw: () => void ringAlpha(RING, grid, WHOLE) },
    { name: 'opaque layer on black', draw: () => composeRgb(strip, rgb) },
    { name: 'translucent layer over it', draw: () => drawOver(rgb, layer, 50) },
    { name: 'masked layer over it', draw: () => drawOver(rgb, { ...layer, alpha }, 100) },
    { name: 'opaque layer to Y, Cb, Cr', draw: () => composeYuv420(strip, yuv) },
    { name: 'filter and checksum of RGB', draw: filter },
    { name: 'PNG of RGB, with compression', draw: png },
  ];
}

const TILE_SIDE = 512;
const TILE = { x0: 0, y0: 0, x1: TILE_SIDE, y1: TILE_SIDE };
/** Circles whose edges cross a tile. */
const TILE_RING = {
  inner: { x: 256, y: 256, radius: 90 },
  outer: { x: 256, y: 256, radius: 250 },
  softness: 0,
  masksDownloads: false,
};

/** Copies blocks of these sizes into the core's memory and out again, as often as drawing does beside the work of the core. */
function copies(blocks: readonly (readonly [bytes: number, times: number])[]): () => void {
  const buffers = blocks.map(([bytes, times]) => ({ times, from: noise(bytes), to: new Uint8Array(bytes) }));
  return () => {
    for (const { from, to, times } of buffers)
      for (let i = 0; i < times; i += 2) withCore((core) => to.set(bytesAt(core, copyIn(core, from), from.length)));
  };
}

/** Stages of single tiles, of which a part is TypeScript: PNG by coverage and mask. */
function tileStages(): Stage[] {
  const pixels = TILE_SIDE * TILE_SIDE;
  const samples = noise(pixels);
  const black = samples.map((sample, i) => (scramble(i) & 7 ? sample : 0));
  const palette = noise(768);
  const grid = { left: 0, top: 0, step: 1, width: TILE_SIDE, height: TILE_SIDE };
  const axis = () => triangleTaps({ start: 100, step: STEP, count: TILE_SIDE, size: 4096, reduce: 0 });
  const [x, y] = [axis(), axis()];
  const window = noise((x.end - x.first) * (y.end - y.first));
  const out = new Uint8Array(pixels);
  const alpha = ringAlpha(TILE_RING, grid, TILE);
  const masked = () => colouredPixels(samples, TILE_SIDE, TILE_SIDE, TILE, palette, alpha);
  const rgba = masked();
  const half = { ...TILE, x1: TILE_SIDE / 2 };
  const size = [TILE_SIDE, TILE_SIDE] as const;
  const mega = 1 << 20;
  return [
    { name: 'tile: resampling', draw: () => resample(window, x, y, out, TILE_SIDE) },
    { name: 'tile: mask', draw: () => void ringAlpha(TILE_RING, grid, TILE) },
    { name: 'tile: alpha of black', draw: () => void blackAlpha(black) },
    {
      name: 'tile: indexed PNG',
      draw: () => void encodeIndexedPng({ width: TILE_SIDE, height: TILE_SIDE, indexes: samples, palette }),
    },
    {
      name: 'tile: indexed PNG with a free index',
      draw: () =>
        void wholeLayer(
          { width: TILE_SIDE, height: TILE_SIDE, samples: samples.slice(), covered: half, palette, alpha: null },
          WHOLE_PNG,
        ),
    },
    { name: 'tile: RGBA PNG', draw: () => void encodeRgbaPng(...size, rgba) },
    { name: 'tile: colours of a masked layer', draw: () => void masked() },
    // Samples to the resampling, pixels from it, to the filter and from it.
    { name: 'tile: copies', draw: copies([[pixels, 4]]) },
    // Three layers: samples, pixels and the pixels to compose; then RGB from the composition, to the filter and from it.
    {
      name: '1024 x 1024, three layers: copies',
      draw: copies([
        [mega, 10],
        [3 * mega, 4],
      ]),
    },
  ];
}

function measure({ name, draw }: Stage): BenchResult {
  const times = Array.from({ length: ROUNDS }, () => time(draw));
  return { case: name, metric: 'time', unit: 'ms', value: Math.min(...times) };
}

export const bench: Bench = { run: async () => [...stages(), ...tileStages()].map(measure) };
