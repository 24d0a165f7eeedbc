// Picture encoders on a real 4096 x 4096 image in strips: time, file size, and for 4096 x 4096 the peak memory, which includes
// the file and its last copy.
import { greyBytes } from '../../src/jp2/decode.ts';
import { indexJp2 } from '../../src/jp2/sidecar.ts';
import { colourTable } from '../../src/picture/colour/palette.ts';
import type { StripEncoder } from '../../src/picture/encode/encoder.ts';
import { jpeg } from '../../src/picture/encode/jpeg.ts';
import { lossyWebp } from '../../src/picture/encode/libwebp.ts';
import { indexedPng, rgbPng } from '../../src/picture/encode/png.ts';
import { webp } from '../../src/picture/encode/webp.ts';
import { decodeFrom } from '../support/imaging/decode.ts';
import { largeImages } from './images.ts';
import { clockMs, median, repeated } from './measure.ts';
import { collectGarbage, settleMemory } from './memory.ts';
import type { Bench, Run } from './run.ts';

const STRIP_ROWS = 64;
/** Rows decoded at a time, because the decoder limits the size of a window. */
const DECODED_ROWS = 512;
const ROUNDS = { small: 15, large: 3 };
const LOSSY_QUALITY = 80;
const AIA_193_TABLE = 'SDO_AIA_193';

/** Memories of the instances that were made, in which libwebp has its own. */
const memories: WebAssembly.Memory[] = [];
const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance {
  constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
    super(module, imports);
    memories.push(...Object.values(this.exports).filter((value) => value instanceof WebAssembly.Memory));
  }
};
const largestMemory = () => Math.max(0, ...memories.splice(0).map(({ buffer }) => buffer.byteLength));

interface Frame {
  readonly width: number;
  readonly height: number;
  readonly bytesPerPixel: 1 | 3;
  readonly pixels: Uint8Array;
}

const FORMATS: Readonly<Record<string, (frame: Frame) => StripEncoder>> = {
  png: ({ width, height, bytesPerPixel }) => (bytesPerPixel === 1 ? indexedPng(width, height, null) : rgbPng(width, height)),
  jpg: ({ width, height }) => jpeg(width, height),
  webp: ({ width, height }) => webp(width, height, null),
  'webp-lossy': ({ width, height }) => lossyWebp(width, height, LOSSY_QUALITY),
};

/** JPEG is written in colour only, WebP from palette indexes only. */
const ONLY: Readonly<Record<string, 'grey' | 'colour'>> = { jpg: 'colour', webp: 'grey', 'webp-lossy': 'colour' };

function decodeReduced(file: Uint8Array, reduce: number): Frame {
  const index = indexJp2(file);
  const [width, height] = [index.size.x1 >> reduce, index.size.y1 >> reduce];
  const pixels = new Uint8Array(width * height);
  for (let y0 = 0; y0 < height; y0 += DECODED_ROWS) {
    const window = { ...index.size, y0: y0 << reduce, y1: Math.min(height, y0 + DECODED_ROWS) << reduce };
    const [component] = decodeFrom(file, index, reduce, window);
    if (component) pixels.set(greyBytes(component), y0 * width);
  }
  return { width, height, bytesPerPixel: 1, pixels };
}

/** The centre of a frame. */
function crop({ width, height, pixels }: Frame, croppedWidth: number, croppedHeight: number): Frame {
  const [left, top] = [(width - croppedWidth) >> 1, (height - croppedHeight) >> 1];
  const cropped = new Uint8Array(croppedWidth * croppedHeight);
  for (let y = 0; y < croppedHeight; y++) {
    const from = (top + y) * width + left;
    cropped.set(pixels.subarray(from, from + croppedWidth), y * croppedWidth);
  }
  return { width: croppedWidth, height: croppedHeight, bytesPerPixel: 1, pixels: cropped };
}

function coloured({ width, height, pixels }: Frame): Frame {
  const table = colourTable(AIA_193_TABLE);
  const rgb = new Uint8Array(pixels.length * 3);
  for (let i = 0; i < pixels.length; i++) {
    const from = (pixels[i] as number) * 3;
    for (let channel = 0; channel < 3; channel++) rgb[i * 3 + channel] = table[from + channel] as number;
  }
  return { width, height, bytesPerPixel: 3, pixels: rgb };
}

async function encode(frame: Frame, encoder: StripEncoder, afterStrip: () => void = () => {}): Promise<Uint8Array> {
  const rowBytes = frame.width * frame.bytesPerPixel;
  for (let y = 0; y < frame.height; y += STRIP_ROWS) {
    const rows = Math.min(STRIP_ROWS, frame.height - y);
    await encoder.write(frame.pixels.subarray(y * rowBytes, (y + rows) * rowBytes), rows);
    afterStrip();
  }
  return encoder.finish();
}

/** Bytes in use on the heap and in array buffers. */
function usedBytes(): number {
  collectGarbage();
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}

async function peakBytes(frame: Frame, create: (frame: Frame) => StripEncoder): Promise<number> {
  await settleMemory();
  largestMemory();
  const before = usedBytes();
  let peak = 0;
  const file = await encode(frame, create(frame), () => {
    peak = Math.max(peak, usedBytes() - before);
  });
  // At the end, the chunks of the file and their concatenation exist at once.
  return peak + file.length + largestMemory();
}

async function measure({ add }: Run, name: string, frame: Frame, create: (frame: Frame) => StripEncoder): Promise<void> {
  const isLarge = frame.width * frame.height > 2 ** 20;
  let bytes = 0;
  const work = async () => {
    bytes = (await encode(frame, create(frame))).length;
  };
  const times = await repeated(() => clockMs(work), isLarge ? ROUNDS.large : ROUNDS.small);
  add(name, 'time', 'ms', median(times));
  add(name, 'size', 'kB', bytes / 1000);
  if (frame.width < 4096 && !name.startsWith('webp-lossy')) return;
  add(name, 'peak memory', 'MiB', (await peakBytes(frame, create)) / 2 ** 20);
}

export const bench: Bench = async (run) => {
  const image = (await largeImages(run.log)).find(({ name }) => name.endsWith('AIA_193'));
  if (!image) return;
  const frames = [decodeReduced(image.file, 3), crop(decodeReduced(image.file, 1), 1920, 1200), decodeReduced(image.file, 0)];
  for (const grey of frames) {
    for (const frame of [grey, coloured(grey)]) {
      const kind = frame.bytesPerPixel === 1 ? 'grey' : 'colour';
      for (const [format, create] of Object.entries(FORMATS)) {
        if ((ONLY[format] ?? kind) !== kind) continue;
        await measure(run, `${format} ${kind} ${frame.width}x${frame.height}`, frame, create);
      }
    }
  }
};
