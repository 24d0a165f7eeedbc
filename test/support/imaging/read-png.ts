// Reads the PNGs that the service writes back to pixels: 8 bits, not interlaced, grey, RGB, indexed or RGBA.
import { crc32, inflateSync } from 'node:zlib';

export type PngPixels = ReturnType<typeof readPng>;

function paeth(a: number, b: number, c: number): number {
  const p = a + b - c;
  const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
  if (pa <= pb && pa <= pc) return a;
  return pb <= pc ? b : c;
}

/** Undoes filter `type` of a row in place. `above`: the row before, zeros for the first; `size`: bytes of a pixel. */
function unfilterRow(type: number, row: Uint8Array, above: Uint8Array, size: number): void {
  const add = (predict: (a: number, b: number, c: number) => number) => {
    for (let x = 0; x < row.length; x++) {
      const isFirst = x < size;
      row[x]! += predict(isFirst ? 0 : row[x - size]!, above[x]!, isFirst ? 0 : above[x - size]!);
    }
  };
  if (type === 1) for (let x = size; x < row.length; x++) row[x]! += row[x - size]!;
  else if (type === 2) for (let x = 0; x < row.length; x++) row[x]! += above[x]!;
  else if (type === 3) add((a, b) => (a + b) >> 1);
  else if (type === 4) add(paeth);
  else if (type !== 0) throw new Error(`filter ${type}`);
}

function unfilter(raw: Uint8Array, rowBytes: number, height: number, size: number): Uint8Array {
  const out = new Uint8Array(rowBytes * height);
  let above: Uint8Array = new Uint8Array(rowBytes);
  for (let y = 0; y < height; y++) {
    const at = y * (rowBytes + 1);
    const row = out.subarray(y * rowBytes, (y + 1) * rowBytes);
    row.set(raw.subarray(at + 1, at + 1 + rowBytes));
    unfilterRow(raw[at]!, row, above, size);
    above = row;
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

/** R, G, B, A as one little-endian number, of the colour with this grey value or palette index. */
function wordsOf(colourType: number, chunks: Map<string, Uint8Array>): Uint32Array {
  const palette = chunks.get('PLTE') ?? new Uint8Array(0);
  const transparency = chunks.get('tRNS');
  const colour = (value: number): number[] => {
    if (colourType === 0) return [value, value, value, transparency && transparency[1] === value ? 0 : 255];
    const [red = 0, green = 0, blue = 0] = palette.subarray(value * 3, value * 3 + 3);
    return [red, green, blue, transparency?.[value] ?? 255];
  };
  return new Uint32Array(Uint8Array.from(Array.from({ length: 256 }, (_, value) => colour(value)).flat()).buffer);
}

/** R, G, B, A of each pixel. */
function rgbaOf(samples: Uint8Array, pixels: number, colourType: number, chunks: Map<string, Uint8Array>): Uint8Array {
  const rgba = new Uint8Array(pixels * 4);
  if (colourType === 6) rgba.set(samples);
  else if (colourType === 2) {
    for (let i = 0, from = 0; i < rgba.length; i += 4) {
      rgba[i] = samples[from++]!;
      rgba[i + 1] = samples[from++]!;
      rgba[i + 2] = samples[from++]!;
      rgba[i + 3] = 255;
    }
  } else {
    const words = wordsOf(colourType, chunks);
    const out = new Uint32Array(rgba.buffer);
    for (let i = 0; i < pixels; i++) out[i] = words[samples[i]!]!;
  }
  return rgba;
}

/** Pixels as R, G, B, A and as the file has them. `colourType`: 0 grey, 2 RGB, 3 indexed, 6 RGBA. `indexes`: of an indexed picture. */
export function readPng(png: Uint8Array) {
  const chunks = chunksOf(png);
  const header = chunks.get('IHDR') as Uint8Array;
  const view = new DataView(header.buffer, header.byteOffset);
  const [width, height, colourType] = [view.getUint32(0), view.getUint32(4), header[9] as number];
  const size = SAMPLES_PER_PIXEL[colourType] as number;
  const samples = unfilter(new Uint8Array(inflateSync(chunks.get('IDAT') as Uint8Array)), width * size, height, size);
  const rgba = rgbaOf(samples, width * height, colourType, chunks);
  return { width, height, colourType, rgba, indexes: colourType === 3 ? samples : null, samples };
}
