// Lossless WebP (RFC 9649) of indexed pictures, row by row. The mean of the left and the upper pixel predicts each: files of eleven archive
// images take 20.9 MB; the best of seven predictors for each tile, with prefix codes by class of tile, took 19.8. Each segment of rows has
// prefix codes of its own. The parts that precede the data in the file are
// small and are put together at the end.
import type { Size } from '../../sun/image.ts';
import { GREY_PALETTE } from '../colours.ts';
import { checkSides, type RowSink, type StripEncoder, stripEncoder } from './encoder.ts';
import { webpNote } from './notes.ts';
import { BitWriter, writePixels, writeSmallImage } from './vp8l-image.ts';

/** Rises with the bytes of files. */
export const WEBP_VERSION = 3;

/** Largest side of a WebP file that readers accept; the format allows one pixel more. */
const MAX_SIDE = 16383;

/** @throws RangeError for sides that WebP cannot express */
export const checkWebpSides = (width: number, height: number) => checkSides(width, height, MAX_SIDE);

/** Base-2 logarithm of the tile's side, the largest of the format. */
const TILE_BITS = 9;

/** Rows of a segment, which is one row of tiles. */
const SEGMENT_ROWS = 1 << TILE_BITS;

const PIXEL_COST = 3;

const TRANSFORM = { predictor: 0, colourIndexing: 3 } as const;

/** Number of the predictor that averages the left and the upper pixel. */
const MEAN = 7;

const CHUNK_HEADER = 20;

/** With 16 colours or fewer the format packs pixels; a palette of one more keeps one pixel a byte. */
const MIN_COLOURS = 17;

interface Palette {
  /** R, G, B of each index. */
  readonly colours: Uint8Array;
  /** The index with alpha 0. */
  readonly transparentIndex: number | undefined;
}

/** Green, red, blue and alpha of the palette as stored: each colour minus the previous one (4.4). */
function paletteChannels({ colours, transparentIndex }: Palette): Uint8Array[] {
  const size = Math.max(MIN_COLOURS, Math.floor(colours.length / 3));
  const channel = (offset: number) =>
    Uint8Array.from({ length: size }, (_, i) => (i === transparentIndex ? 0 : (colours[i * 3 + offset] ?? 0)));
  const alpha = Uint8Array.from({ length: size }, (_, i) => (i === transparentIndex ? 0 : 255));
  return [channel(1), channel(0), channel(2), alpha].map((values) => values.map((value, i) => value - (values[i - 1] ?? 0)));
}

/** Replaces pixels by their residuals. The format predicts the first row by the left pixel, the first column by the upper. */
function predictRow(row: Uint8Array, above: Uint8Array | null): void {
  if (above) for (let x = row.length - 1; x > 0; x--) row[x]! -= (row[x - 1]! + above[x]!) >> 1;
  else for (let x = row.length - 1; x > 0; x--) row[x]! -= row[x - 1]!;
  row[0]! -= above?.[0] ?? 0;
}

/** Everything before the prefix codes: image header, transforms, and the segment of each tile. */
function headOf({ width, height }: Size, palette: Palette): BitWriter {
  const [across, segments] = [Math.ceil(width / SEGMENT_ROWS), Math.ceil(height / SEGMENT_ROWS)];
  const writer = new BitWriter();
  writer.write(0x2f, 8);
  writer.write(width - 1, 14);
  writer.write(height - 1, 14);
  writer.write(palette.transparentIndex === undefined ? 0 : 1, 1);
  writer.write(0, 3);
  writer.write(1, 1);
  writer.write(TRANSFORM.colourIndexing, 2);
  const channels = paletteChannels(palette);
  const size = (channels[0] as Uint8Array).length;
  writer.write(size - 1, 8);
  writeSmallImage(writer, size, channels);
  writer.write(1, 1);
  writer.write(TRANSFORM.predictor, 2);
  writer.write(TILE_BITS - 2, 3);
  writeSmallImage(writer, across, [new Uint8Array(across * segments).fill(MEAN)]);
  writer.write(0, 1);
  // No colour cache; prefix codes by segment when there are several.
  writer.write(0, 1);
  writer.write(segments > 1 ? 1 : 0, 1);
  if (segments > 1) {
    writer.write(TILE_BITS - 2, 3);
    writeSmallImage(writer, across, [Uint8Array.from({ length: across * segments }, (_, i) => i / across)]);
  }
  return writer;
}

/** The file of written bits. */
function fileOf(writers: readonly BitWriter[]): Uint8Array {
  const payload = Math.ceil(writers.reduce((bits, { bitLength }) => bits + bitLength, 0) / 8);
  const file = new Uint8Array(CHUNK_HEADER + payload + (payload & 1));
  const view = new DataView(file.buffer);
  file.set(new TextEncoder().encode('RIFF....WEBPVP8L'));
  view.setUint32(4, file.length - 8, true);
  view.setUint32(16, payload, true);
  let at = CHUNK_HEADER * 8;
  for (const writer of writers) {
    const { bitLength } = writer;
    writer.moveTo(file, at);
    at += bitLength;
  }
  return file;
}

/**
 * One byte a pixel: an index into `palette` (R, G, B of each, at most 256), or grey when that is null. Pixels of
 * `transparentIndex` are fully transparent and written as black.
 * @throws RangeError for sides that WebP cannot express
 */
export function webp(width: number, height: number, palette: Uint8Array | null, transparentIndex?: number): StripEncoder {
  checkWebpSides(width, height);
  const size = { width, height };
  const [codes, data] = [new BitWriter(), new BitWriter()];
  /** The last row; null before the first. */
  let above: Uint8Array | null = null;
  const sink: RowSink = {
    /** Writes the residuals of rows, over them from the last one on. */
    add(pixels, rows) {
      const last = pixels.slice(-width);
      const rowAt = (y: number) => pixels.subarray(y * width, (y + 1) * width);
      for (let y = rows - 1; y > 0; y--) predictRow(rowAt(y), rowAt(y - 1));
      predictRow(rowAt(0), above);
      writePixels({ width, channels: [pixels] }, codes, data);
      above = last;
    },
    end(note) {
      const head = headOf(size, { colours: palette ?? GREY_PALETTE, transparentIndex });
      return webpNote(fileOf([head, codes, data]), size, transparentIndex !== undefined, note);
    },
  };
  return stripEncoder({ ...size, bytesPerPixel: 1, pixelCost: PIXEL_COST, blockRows: SEGMENT_ROWS }, sink);
}
