// Lossless WebP (RFC 9649) from rows as they come: tiles choose their predictor and, by what its residuals cost, one of two
// dozen groups of prefix codes. Residuals are kept for a segment of a few rows of tiles, coded when the segment is full with
// groups of its own, and dropped; the parts that the file has first are small and are put before the data at the end.
import { BitWriter } from './bit-writer.ts';
import type { RowSink } from './encoder.ts';
import { writePixels, writeSmallImage } from './vp8l-image.ts';
import { BLACK, COST_PER_BIT, OPAQUE, type Plane, PREDICTORS, predictRow, residualCost, type TileRow } from './vp8l-predictor.ts';

/** Base-2 logarithm of the tile's side, for predictors and groups alike. */
const TILE_BITS = 5;
const TILE = 1 << TILE_BITS;

/** Rows of a tile that predictors are tried on: one in this many. */
const TRIED_ROWS = 4;

/** Classes of tiles by the mean cost of a residual, this many to a bit. */
const CLASSES = 24;
const CLASSES_PER_BIT = 6;

/** Pixels of a segment, at least. */
const SEGMENT_PIXELS = 1 << 20;

/** The plane of alpha, where there is one. */
const ALPHA = 3;

const TRANSFORM = { predictor: 0, subtractGreen: 2, colourIndexing: 3 } as const;

const CHUNK_HEADER = 20;

/** With 16 colours or fewer the format packs pixels; a palette of one more keeps one pixel a byte. */
const FEWEST_COLOURS = 17;

/** How many planes pixels come in: one of indexes; red, green and blue; those and alpha. */
export type PlaneCount = 1 | 3 | 4;

/** R, G, B of each index; an alpha of 0 for `transparentIndex`. */
export interface WebpPalette {
  readonly colours: Uint8Array;
  readonly transparentIndex: number | undefined;
}

const tilesAcross = (side: number): number => Math.ceil(side / TILE);

/** Bytes of the palette as the file has them, each colour less the one before (4.4). */
function palettePlanes({ colours, transparentIndex }: WebpPalette): Uint8Array[] {
  const size = Math.max(FEWEST_COLOURS, Math.floor(colours.length / 3));
  const channel = (offset: number) =>
    Uint8Array.from({ length: size }, (_, i) => (i === transparentIndex ? 0 : (colours[i * 3 + offset] ?? 0)));
  const alpha = Uint8Array.from({ length: size }, (_, i) => (i === transparentIndex ? 0 : 255));
  return [channel(1), channel(0), channel(2), alpha].map((plane) => plane.map((value, i) => value - (plane[i - 1] ?? 0)));
}

/** Residuals and tiles of a segment. */
interface Segment {
  readonly planes: readonly Uint8Array[];
  pixels: number;
  /** First row of tiles. */
  tileRow: number;
}

/** Rows to a WebP file. Keeps one row of tiles, one segment of residuals and the file as far as it goes. */
export class Vp8lWriter implements RowSink {
  readonly #width: number;
  readonly #height: number;
  readonly #palette: WebpPalette | null;
  /** The last row of the tiles above, then a row of tiles; green, red less green, blue less green, alpha. */
  readonly #rows: readonly Plane[];
  readonly #segment: Segment;
  readonly #scratch = new Uint8Array(TILE);
  /** Predictor and class, later group, of each tile. */
  readonly #modes: Uint8Array;
  readonly #groups: Uint16Array;
  readonly #codes = new BitWriter();
  readonly #data = new BitWriter();
  #groupCount = 0;
  /** Rows that came, and how many of them are in `rows`. */
  #y = 0;
  #held = 0;

  /** With a palette for indexes, without one for the rest. */
  constructor(width: number, height: number, planes: PlaneCount, palette: WebpPalette | null) {
    const [across, down] = [tilesAcross(width), tilesAcross(height)];
    const segmentRows = Math.min(down, Math.ceil(SEGMENT_PIXELS / (width * TILE))) * TILE;
    this.#width = width;
    this.#height = height;
    this.#palette = palette;
    this.#rows = Array.from({ length: planes }, (_, i) => ({
      bytes: new Uint8Array(width * (TILE + 1)),
      stride: width,
      origin: i === ALPHA ? OPAQUE : BLACK,
    }));
    this.#segment = {
      planes: Array.from({ length: planes }, () => new Uint8Array(width * segmentRows)),
      pixels: 0,
      tileRow: 0,
    };
    this.#modes = new Uint8Array(across * down);
    this.#groups = new Uint16Array(across * down);
  }

  add(pixels: Uint8Array, rows: number): void {
    const width = this.#width;
    const bytes = width * this.#rows.length;
    for (let row = 0; row < rows; row++) {
      this.#hold(pixels.subarray(row * bytes, (row + 1) * bytes), (this.#held + 1) * width);
      this.#held++;
      this.#y++;
      if (this.#held === TILE || this.#y === this.#height) this.#predictTiles();
    }
  }

  /** Splits a row into planes. */
  #hold(row: Uint8Array, at: number): void {
    const [green, red, blue, alpha] = this.#rows.map(({ bytes }) => bytes);
    if (!green || !red || !blue) {
      green?.set(row, at);
      return;
    }
    const size = this.#rows.length;
    for (let x = 0, i = 0; x < this.#width; x++, i += size) {
      const g = row[i + 1] as number;
      green[at + x] = g;
      red[at + x] = (row[i] as number) - g;
      blue[at + x] = (row[i + 2] as number) - g;
      if (alpha) alpha[at + x] = row[i + ALPHA] as number;
    }
  }

  /** Turns the rows of tiles that are held into residuals of the segment. */
  #predictTiles(): void {
    const width = this.#width;
    const segment = this.#segment;
    const firstRow = this.#y - this.#held;
    const firstTile = (firstRow / TILE) * tilesAcross(width);
    for (let x = 0; x < width; x += TILE) {
      const tile = { x, y: firstRow, width: Math.min(TILE, width - x), height: this.#held };
      const { mode, costPerPixel } = this.#choosePredictor(tile);
      const classNumber = Math.floor((costPerPixel / COST_PER_BIT) * CLASSES_PER_BIT);
      this.#modes[firstTile + x / TILE] = mode;
      this.#groups[firstTile + x / TILE] = Math.min(CLASSES - 1, classNumber);
      this.#rows.forEach((plane, i) => {
        for (let row = 0; row < tile.height; row++) {
          const to = segment.pixels + row * width + x;
          predictRow(mode, plane, this.#rowOf(tile, row), segment.planes[i] as Uint8Array, to);
        }
      });
    }
    segment.pixels += this.#held * width;
    for (const { bytes } of this.#rows) bytes.copyWithin(0, this.#held * width, (this.#held + 1) * width);
    this.#held = 0;
    if (segment.pixels === (segment.planes[0] as Uint8Array).length || this.#y === this.#height) this.#codeSegment();
  }

  #rowOf(tile: { x: number; y: number; width: number }, row: number): TileRow {
    return { at: (row + 1) * this.#width + tile.x, x: tile.x, y: tile.y + row, count: tile.width };
  }

  #choosePredictor(tile: { x: number; y: number; width: number; height: number }): { mode: number; costPerPixel: number } {
    let best = { mode: 1, cost: Number.POSITIVE_INFINITY };
    // The picture's first row is predicted in the same way by all.
    const firstTried = Math.min(1, tile.height - 1);
    for (const mode of PREDICTORS) {
      let cost = 0;
      for (const plane of this.#rows) {
        for (let row = firstTried; row < tile.height; row += TRIED_ROWS) {
          predictRow(mode, plane, this.#rowOf(tile, row), this.#scratch, 0);
          cost += residualCost(this.#scratch, 0, tile.width);
        }
      }
      if (cost < best.cost) best = { mode, cost };
    }
    const tried = Math.ceil((tile.height - firstTried) / TRIED_ROWS) * tile.width * this.#rows.length;
    return { mode: best.mode, costPerPixel: best.cost / tried };
  }

  /** Codes the residuals of the segment with groups of its own. */
  #codeSegment(): void {
    const width = this.#width;
    const segment = this.#segment;
    const groups = this.#groups;
    const across = tilesAcross(width);
    const firstTile = segment.tileRow * across;
    const tiles = groups.subarray(firstTile, firstTile + Math.ceil(segment.pixels / (width * TILE)) * across);
    const classes = [...new Set(tiles)].sort((a, b) => a - b);
    const groupOfClass = new Uint16Array(CLASSES);
    classes.forEach((classNumber, i) => {
      groupOfClass[classNumber] = i;
    });
    const pixels = {
      width,
      count: segment.pixels,
      planes: segment.planes,
      groups: classes.length,
      groupAt: (x: number, y: number) => groupOfClass[tiles[(y >> TILE_BITS) * across + (x >> TILE_BITS)] as number] as number,
      groupWidth: TILE,
    };
    writePixels(pixels, this.#codes, this.#data);
    for (let i = 0; i < tiles.length; i++) tiles[i] = this.#groupCount + (groupOfClass[tiles[i] as number] as number);
    this.#groupCount += classes.length;
    segment.tileRow += tiles.length / across;
    segment.pixels = 0;
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
    const parts = [head, this.#codes, this.#data];
    let at = CHUNK_HEADER * 8;
    for (const part of parts) {
      const { bitLength } = part;
      part.moveTo(file, at);
      at += bitLength;
    }
    return file;
  }

  /** Everything before the prefix codes: image header, transforms, groups of the tiles. */
  #head(): BitWriter {
    const width = this.#width;
    const height = this.#height;
    const palette = this.#palette;
    const across = tilesAcross(width);
    const writer = new BitWriter();
    writer.write(0x2f, 8);
    writer.write(width - 1, 14);
    writer.write(height - 1, 14);
    const hasAlpha = palette?.transparentIndex !== undefined || this.#rows.length > ALPHA;
    writer.write(hasAlpha ? 1 : 0, 1);
    writer.write(0, 3);
    writer.write(1, 1);
    writer.write(palette ? TRANSFORM.colourIndexing : TRANSFORM.subtractGreen, 2);
    if (palette) {
      const planes = palettePlanes(palette);
      const size = (planes[0] as Uint8Array).length;
      writer.write(size - 1, 8);
      writeSmallImage(writer, size, planes);
    }
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
