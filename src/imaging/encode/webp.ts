// Lossless WebP (RFC 9649) of indexed pictures, row by row. Each tile chooses its predictor and, by the cost of its residuals, one
// of two dozen groups of prefix codes. Residuals are held for a segment of a few rows of tiles, coded with groups of their own
// when it is full, and dropped. The parts that precede the data in the file are small and are put together at the end.
import { GREY_PALETTE } from '../../picture/colours.ts';
import { BitWriter } from './bit-writer.ts';
import { checkSides, type RowSink, type StripEncoder, stripEncoder } from './encoder.ts';
import { writePixels, writeSmallImage } from './vp8l-image.ts';

/** Largest side of a WebP file that readers accept; the format allows one pixel more. */
const MAX_SIDE = 16383;

/** Base-2 logarithm of the tile's side, for predictors and groups alike. */
const TILE_BITS = 5;
const TILE = 1 << TILE_BITS;

/** Predictors are tried on one row in this many of a tile. */
const TRIED_ROWS = 4;

/** Classes of tiles by the mean cost of a residual, with this many classes to a bit. */
const CLASSES = 24;
const CLASSES_PER_BIT = 6;

const PIXEL_COST = 4;

/** Minimum pixels of a segment. */
const SEGMENT_PIXELS = 1 << 20;

const TRANSFORM = { predictor: 0, colourIndexing: 3 } as const;

const CHUNK_HEADER = 20;

/** With 16 colours or fewer the format packs pixels; a palette of one more keeps one pixel a byte. */
const MIN_COLOURS = 17;

/** Predictors tried for a tile; the other seven together save less than 0.3 % on solar frames. */
const PREDICTORS = [1, 2, 5, 7, 10, 12, 13] as const;

/** Approximate cost of a residual: log2(1 + |residual|) in 16ths of a bit. */
const COST = Uint8Array.from({ length: 256 }, (_, byte) => Math.round(16 * Math.log2(1 + (byte < 128 ? byte : 256 - byte))));

/** Units of `residualCost` in a bit. */
const COST_PER_BIT = 16;

const clamp = (value: number): number => (value < 0 ? 0 : value > 255 ? 255 : value);

/** Writes residuals of `count` pixels from `at` on, none in the first row or column, to `out` from `to` on. */
function predictInner(
  mode: number,
  pixels: Uint8Array,
  stride: number,
  at: number,
  count: number,
  out: Uint8Array,
  to: number,
): void {
  let left = pixels[at - 1] as number;
  let aboveLeft = pixels[at - stride - 1] as number;
  let above = pixels[at - stride] as number;
  for (let i = 0; i < count; i++) {
    const pixel = pixels[at + i] as number;
    // For the last pixel of a row the format takes the first pixel of the same row.
    const aboveRight = pixels[at + i - stride + 1] as number;
    let predicted = 0;
    switch (mode) {
      case 1:
        predicted = left;
        break;
      case 2:
        predicted = above;
        break;
      case 5:
        predicted = (((left + aboveRight) >> 1) + above) >> 1;
        break;
      case 7:
        predicted = (left + above) >> 1;
        break;
      case 10:
        predicted = (((left + aboveLeft) >> 1) + ((above + aboveRight) >> 1)) >> 1;
        break;
      case 12:
        predicted = clamp(left + above - aboveLeft);
        break;
      default: {
        const average = (left + above) >> 1;
        predicted = clamp(average + (((average - aboveLeft) / 2) | 0));
      }
    }
    out[to + i] = pixel - predicted;
    left = pixel;
    aboveLeft = above;
    above = aboveRight;
  }
}

interface TileRow {
  /** Index of its first pixel in `pixels`; x, y: its position in the picture. */
  readonly at: number;
  readonly x: number;
  readonly y: number;
  readonly count: number;
}

/**
 * Writes the residuals of a row of a tile by predictor `mode` to `out` from `to` on. The format fixes the predictor of the first row
 * (left; 0 for the first pixel) and column (above). `pixels` must include the row above.
 */
function predictRow(mode: number, pixels: Uint8Array, stride: number, row: TileRow, out: Uint8Array, to: number): void {
  const { at, x, y, count } = row;
  if (y === 0) {
    for (let i = 0; i < count; i++) out[to + i] = (pixels[at + i] as number) - (x + i === 0 ? 0 : (pixels[at + i - 1] as number));
    return;
  }
  const first = x === 0 ? 1 : 0;
  if (first) out[to] = (pixels[at] as number) - (pixels[at - stride] as number);
  predictInner(mode, pixels, stride, at + first, count - first, out, to + first);
}

/** Sum of the costs of `count` residuals. */
function residualCost(residuals: Uint8Array, from: number, count: number): number {
  let cost = 0;
  for (let i = from; i < from + count; i++) cost += COST[residuals[i] as number] as number;
  return cost;
}

interface Palette {
  /** R, G, B of each index. */
  readonly colours: Uint8Array;
  /** The index with alpha 0. */
  readonly transparentIndex: number | undefined;
}

const tilesAcross = (side: number): number => Math.ceil(side / TILE);

/** Green, red, blue and alpha of the palette as stored: each colour minus the previous one (4.4). */
function paletteChannels({ colours, transparentIndex }: Palette): Uint8Array[] {
  const size = Math.max(MIN_COLOURS, Math.floor(colours.length / 3));
  const channel = (offset: number) =>
    Uint8Array.from({ length: size }, (_, i) => (i === transparentIndex ? 0 : (colours[i * 3 + offset] ?? 0)));
  const alpha = Uint8Array.from({ length: size }, (_, i) => (i === transparentIndex ? 0 : 255));
  return [channel(1), channel(0), channel(2), alpha].map((values) => values.map((value, i) => value - (values[i - 1] ?? 0)));
}

/** Encodes rows of palette indexes. Holds one row of tiles, one segment of residuals and the file so far. */
class Vp8lWriter implements RowSink {
  readonly #width: number;
  readonly #height: number;
  readonly #palette: Palette;
  /** The last row of the tiles above, then a row of tiles. */
  readonly #rows: Uint8Array;
  readonly #scratch = new Uint8Array(TILE);
  /** Residuals of the segment, how many there are, and its first row of tiles. */
  readonly #residuals: Uint8Array;
  #residualCount = 0;
  #firstTileRow = 0;
  /** Predictor and class (later group) of each tile. */
  readonly #modes: Uint8Array;
  readonly #groups: Uint16Array;
  readonly #codes = new BitWriter();
  readonly #data = new BitWriter();
  #groupCount = 0;
  /** Rows received, and how many of them are in `#rows`. */
  #y = 0;
  #held = 0;

  constructor(width: number, height: number, palette: Palette) {
    const [across, down] = [tilesAcross(width), tilesAcross(height)];
    const segmentRows = Math.min(down, Math.ceil(SEGMENT_PIXELS / (width * TILE))) * TILE;
    this.#width = width;
    this.#height = height;
    this.#palette = palette;
    this.#rows = new Uint8Array(width * (TILE + 1));
    this.#residuals = new Uint8Array(width * segmentRows);
    this.#modes = new Uint8Array(across * down);
    this.#groups = new Uint16Array(across * down);
  }

  add(pixels: Uint8Array, rows: number): void {
    const width = this.#width;
    for (let row = 0; row < rows; row++) {
      this.#rows.set(pixels.subarray(row * width, (row + 1) * width), (this.#held + 1) * width);
      this.#held++;
      this.#y++;
      if (this.#held === TILE || this.#y === this.#height) this.#predictTiles();
    }
  }

  /** Turns the held row of tiles into residuals of the segment. */
  #predictTiles(): void {
    const width = this.#width;
    const firstRow = this.#y - this.#held;
    const firstTile = (firstRow / TILE) * tilesAcross(width);
    for (let x = 0; x < width; x += TILE) {
      const tile = { x, y: firstRow, width: Math.min(TILE, width - x), height: this.#held };
      const { mode, costPerPixel } = this.#choosePredictor(tile);
      const classNumber = Math.floor((costPerPixel / COST_PER_BIT) * CLASSES_PER_BIT);
      this.#modes[firstTile + x / TILE] = mode;
      this.#groups[firstTile + x / TILE] = Math.min(CLASSES - 1, classNumber);
      for (let row = 0; row < tile.height; row++)
        predictRow(mode, this.#rows, width, this.#rowOf(tile, row), this.#residuals, this.#residualCount + row * width + x);
    }
    this.#residualCount += this.#held * width;
    this.#rows.copyWithin(0, this.#held * width, (this.#held + 1) * width);
    this.#held = 0;
    if (this.#residualCount === this.#residuals.length || this.#y === this.#height) this.#codeSegment();
  }

  #rowOf(tile: { x: number; y: number; width: number }, row: number): TileRow {
    return { at: (row + 1) * this.#width + tile.x, x: tile.x, y: tile.y + row, count: tile.width };
  }

  #choosePredictor(tile: { x: number; y: number; width: number; height: number }): { mode: number; costPerPixel: number } {
    let best = { mode: 1, cost: Number.POSITIVE_INFINITY };
    // The first row of the picture has the same prediction in every mode.
    const firstTried = Math.min(1, tile.height - 1);
    for (const mode of PREDICTORS) {
      let cost = 0;
      for (let row = firstTried; row < tile.height; row += TRIED_ROWS) {
        predictRow(mode, this.#rows, this.#width, this.#rowOf(tile, row), this.#scratch, 0);
        cost += residualCost(this.#scratch, 0, tile.width);
      }
      if (cost < best.cost) best = { mode, cost };
    }
    const tried = Math.ceil((tile.height - firstTried) / TRIED_ROWS) * tile.width;
    return { mode: best.mode, costPerPixel: best.cost / tried };
  }

  /** Codes the residuals of the segment with new groups. */
  #codeSegment(): void {
    const width = this.#width;
    const across = tilesAcross(width);
    const firstTile = this.#firstTileRow * across;
    const tiles = this.#groups.subarray(firstTile, firstTile + Math.ceil(this.#residualCount / (width * TILE)) * across);
    const classes = [...new Set(tiles)].sort((a, b) => a - b);
    const groupOfClass = new Uint16Array(CLASSES);
    classes.forEach((classNumber, i) => {
      groupOfClass[classNumber] = i;
    });
    const pixels = {
      width,
      count: this.#residualCount,
      channels: [this.#residuals],
      groups: classes.length,
      groupAt: (x: number, y: number) => groupOfClass[tiles[(y >> TILE_BITS) * across + (x >> TILE_BITS)] as number] as number,
      groupWidth: TILE,
    };
    writePixels(pixels, this.#codes, this.#data);
    for (let i = 0; i < tiles.length; i++) tiles[i] = this.#groupCount + (groupOfClass[tiles[i] as number] as number);
    this.#groupCount += classes.length;
    this.#firstTileRow += tiles.length / across;
    this.#residualCount = 0;
  }

  end(): Uint8Array {
    const head = this.#head();
    const bits = head.bitLength + this.#codes.bitLength + this.#data.bitLength;
    const payload = Math.ceil(bits / 8);
    const file = new Uint8Array(CHUNK_HEADER + payload + (payload & 1));
    const view = new DataView(file.buffer);
    file.set(new TextEncoder().encode('RIFF....WEBPVP8L'));
    view.setUint32(4, file.length - 8, true);
    view.setUint32(16, payload, true);
    let at = CHUNK_HEADER * 8;
    for (const writer of [head, this.#codes, this.#data]) {
      const { bitLength } = writer;
      writer.moveTo(file, at);
      at += bitLength;
    }
    return file;
  }

  /** Everything before the prefix codes: image header, transforms, groups of the tiles. */
  #head(): BitWriter {
    const across = tilesAcross(this.#width);
    const writer = new BitWriter();
    writer.write(0x2f, 8);
    writer.write(this.#width - 1, 14);
    writer.write(this.#height - 1, 14);
    writer.write(this.#palette.transparentIndex === undefined ? 0 : 1, 1);
    writer.write(0, 3);
    writer.write(1, 1);
    writer.write(TRANSFORM.colourIndexing, 2);
    const channels = paletteChannels(this.#palette);
    const size = (channels[0] as Uint8Array).length;
    writer.write(size - 1, 8);
    writeSmallImage(writer, size, channels);
    writer.write(1, 1);
    writer.write(TRANSFORM.predictor, 2);
    writer.write(TILE_BITS - 2, 3);
    writeSmallImage(writer, across, [this.#modes]);
    writer.write(0, 1);
    // No colour cache; groups by tile when there are several.
    writer.write(0, 1);
    writer.write(this.#groupCount > 1 ? 1 : 0, 1);
    if (this.#groupCount > 1) {
      writer.write(TILE_BITS - 2, 3);
      const [low, high] = [0, 8].map((shift) => Uint8Array.from(this.#groups, (group) => group >> shift));
      writeSmallImage(writer, across, [low as Uint8Array, high as Uint8Array]);
    }
    return writer;
  }
}

/**
 * One byte a pixel: an index into `palette` (R, G, B of each, at most 256), or grey when that is null. Pixels of
 * `transparentIndex` are fully transparent and written as black.
 *
 * @throws RangeError for sides that WebP cannot express
 */
export function webp(width: number, height: number, palette: Uint8Array | null, transparentIndex?: number): StripEncoder {
  checkSides(width, height, MAX_SIDE);
  const writer = new Vp8lWriter(width, height, { colours: palette ?? GREY_PALETTE, transparentIndex });
  return stripEncoder({ width, height, bytesPerPixel: 1, pixelCost: PIXEL_COST }, writer);
}
