// Reads the PNGs that the service writes back to pixels: 8 bits, not interlaced, indexed or RGBA.
import { inflateSync } from 'node:zlib';

export interface PngPixels {
  readonly width: number;
  readonly height: number;
  /** 3 indexed, 6 RGBA. */
  readonly colourType: number;
  /** R, G, B, A of each pixel. */
  readonly rgba: Uint8Array;
  /** Palette indexes of an indexed picture. */
  readonly indexes: Uint8Array | null;
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

export function readPng(png: Uint8Array): PngPixels {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const chunks = new Map<string, Uint8Array>();
  for (let at = 8; at < png.length; ) {
    const length = view.getUint32(at);
    chunks.set(String.fromCharCode(...png.subarray(at + 4, at + 8)), png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const header = chunks.get('IHDR') as Uint8Array;
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  const colourType = header[9] as number;
  const size = colourType === 6 ? 4 : 1;
  const pixels = unfilter(new Uint8Array(inflateSync(chunks.get('IDAT') as Uint8Array)), width * size, height, size);
  if (colourType === 6) return { width, height, colourType, rgba: pixels, indexes: null };
  const palette = chunks.get('PLTE') as Uint8Array;
  const alpha = chunks.get('tRNS') ?? new Uint8Array(0);
  const rgba = new Uint8Array(width * height * 4);
  pixels.forEach((index, i) => {
    rgba.set([...palette.subarray(index * 3, index * 3 + 3), alpha[index] ?? 255], i * 4);
  });
  return { width, height, colourType, rgba, indexes: pixels };
}
