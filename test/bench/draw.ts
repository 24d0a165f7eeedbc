// Drawing in the core by stages, on a picture of 1920 x 1200: the least of several rounds, which other work on the machine affects least.
import { composeRgb, composeYuv420, drawOver, type LayerPixels, yuv420Bytes } from '../../src/imaging/compose.ts';
import { withCore } from '../../src/imaging/core/core.ts';
import { placed, room } from '../../src/imaging/core/memory.ts';
import { COLOUR } from '../../src/imaging/encode/png-chunks.ts';
import { PngWriter } from '../../src/imaging/encode/png-writer.ts';
import { ringAlpha } from '../../src/imaging/mask.ts';
import { resample, triangleTaps } from '../../src/imaging/resample.ts';
import { subtract } from '../../src/imaging/samples.ts';
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
      const filtered = room(core, rgb.length + HEIGHT);
      core.filterRows(placed(core, above), placed(core, rgb), above.length, HEIGHT, 3, filtered);
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
    { name: 'mask', draw: () => void ringAlpha(RING, grid, WHOLE) },
    { name: 'opaque layer on black', draw: () => composeRgb(strip, rgb) },
    { name: 'translucent layer over it', draw: () => drawOver(rgb, layer, 50) },
    { name: 'masked layer over it', draw: () => drawOver(rgb, { ...layer, alpha }, 100) },
    { name: 'opaque layer to Y, Cb, Cr', draw: () => composeYuv420(strip, yuv) },
    { name: 'filter and checksum of RGB', draw: filter },
    { name: 'PNG of RGB, with compression', draw: png },
  ];
}

function measure({ name, draw }: Stage): BenchResult {
  const times = Array.from({ length: ROUNDS }, () => time(draw));
  return { case: name, metric: 'time', unit: 'ms', value: Math.min(...times) };
}

export const bench: Bench = { run: async () => stages().map(measure) };
