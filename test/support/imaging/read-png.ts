// Reads the PNGs that the service writes back to pixels: 8 bits, not interlaced, grey, RGB, indexed or RGBA.
import { crc32, inflateSync } from 'node:zlib';

export interface PngPixels {
  readonly width: number;
  readonly height: number;
  /** 0 grey, 2 RGB, 3 indexed, 6 RGBA. */
  readonly colourType: number;
  /** R, G, B, A of each pixel. */
  readonly rgba: Uint8Array;
  /** Palette indexes of an indexed picture. */
  readonly indexes: Uint8Array | null;
  /** Samples as the file has them, `size` a pixel. */
  readonly samples: Uint8Array;
}

function paeth(a: number, b: number, c: number): number {
  const p = a + b - c;
  const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
  if (pa <= pb && pa <= pc) return a;
  return pb <= pc ? b : c;
}

function unfilter(raw: Uint8Array, rowBytes: number, height: number, size: number): Uint8Array {
  const out = new Uint8Array(rowBytes * height);
  for (let y = 0; y < height; y++) {
    const type = raw[y * (rowBytes + 1)] as number;
    for (let x = 0; x < rowBytes; x++) {
      const a = x < size ? 0 : (out[y * rowBytes + x - size] as number);
      const b = y === 0 ? 0 : (out[(y - 1) * rowBytes + x] as number);
      const c = x < size || y === 0 ? 0 : (out[(y - 1) * rowBytes + x - size] as number);
      const predicted = [0, a, b, (a + b) >> 1, paeth(a, b, c)][type] as number;
      out[y * rowBytes + x] = (raw[y * (rowBytes + 1) + 1 + x] as number) + predicted;
    }
  }
  return out;
}

/** Chunks by type; those of one type are joined. Every CRC is checked. */
function chunksOf(png: Uint8Array): Map<string, Uint8Array> {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const chunks = new Map<string, Uint8Array[]>();
  for (let at = 8; at < png.length; ) {
    const length = view.getUint32(at);
    const type = String.fromCharCode(...png.subarray(at + 4, at + 8));
    if (crc32(png.subarray(at + 4, at + 8 + length)) !== view.getUint32(at + 8 + length)) throw new Error(`CRC of ${type}`);
    chunks.set(type, [...(chunks.get(type) ?? []), png.subarray(at + 8, at + 8 + length)]);
    at += length + 12;
  }
  return new Map([...chunks].map(([type, parts]) => [type, new Uint8Array(Buffer.concat(parts))]));
}

const SAMPLES_PER_PIXEL: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 6: 4 };

/** R, G, B, A of one pixel's samples. */
function colourOf(colourType: number, chunks: Map<string, Uint8Array>): (samples: Uint8Array) => number[] {
  const palette = chunks.get('PLTE') ?? new Uint8Array(0);
  const transparency = chunks.get('tRNS');
  return ([a = 0, b = 0, c = 0, d = 0]) => {
    if (colourType === 0) return [a, a, a, transparency && transparency[1] === a ? 0 : 255];
    if (colourType === 2) return [a, b, c, 255];
    if (colourType === 3) return [...palette.subarray(a * 3, a * 3 + 3), transparency?.[a] ?? 255];
    return [a, b, c, d];
  };
}

export function readPng(png: Uint8Array): PngPixels {
  const chunks = chunksOf(png);
  const header = chunks.get('IHDR') as Uint8Array;
  const view = new DataView(header.buffer, header.byteOffset);
  const [width, height, colourType] = [view.getUint32(0), view.getUint32(4), header[9] as number];
  const size = SAMPLES_PER_PIXEL[colourType] as number;
  const samples = unfilter(new Uint8Array(inflateSync(chunks.get('IDAT') as Uint8Array)), width * size, height, size);
  const rgba = new Uint8Array(width * height * 4);
  const colour = colourOf(colourType, chunks);
  for (let i = 0; i < width * height; i++) rgba.set(colour(samples.subarray(i * size, (i + 1) * size)), i * 4);
  return { width, height, colourType, rgba, indexes: colourType === 3 ? samples : null, samples };
}
