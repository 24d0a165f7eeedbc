// Coefficient sidecars (docs/sidecar-format.md): their parts and cells, and the code-blocks of a resolution level in them. Part A has the
// index sidecar of the image, the index of the cells of all parts, and the cells of the low resolutions; parts B and C are cells only.
import { crc32 } from 'node:zlib';
import type { ByteRange } from '../byte-source.ts';
import { ByteReader } from '../bytes.ts';
import type { Chunk, DecodeBand, LevelSource, OpenLevel } from '../codestream-blocks.ts';
import { type CoreExports, checkedAddress, copyIn } from '../core/core.ts';
import { type Jp2Error, malformed } from '../errors.ts';
import { decodeSidecar, type Jp2Index } from '../sidecar.ts';
import { intersect, isEmpty, type Rect, type Resolution, type Subband, type TileComponent } from '../structure.ts';
import type { LevelPlan } from '../window.ts';

/** A: the low resolutions and the index of all parts. B: the levels between. C: full resolution. */
export type Part = 'A' | 'B' | 'C';

/** Parts beside A, in the order of the index. */
export const UPPER_PARTS = ['B', 'C'] as const;

/** Longer side in samples of the largest level in part A: a quarter of an image of 4096 x 4096. */
const MAX_SIDE_OF_A = 1024;

/** Levels of at most this side are in part A whatever the size of the image; others from a quarter of it down. */
const ALWAYS_IN_A = 512;

/** The tile-component of an image that can have a sidecar: one tile, one component, no region of interest; null for others. */
export function codedComponent({ tiles, size }: Jp2Index): TileComponent | null {
  const component = tiles[0]?.components[0];
  if (!component || tiles.length !== 1 || size.components.length !== 1 || component.roiShift !== 0) return null;
  return component;
}

export function partOf({ resolutions }: TileComponent, level: number): Part {
  const { x0, y0, x1, y1 } = resolutions[level] as Resolution;
  const side = Math.max(x1 - x0, y1 - y0);
  const discarded = resolutions.length - 1 - level;
  if (side <= ALWAYS_IN_A || (discarded >= 2 && side <= MAX_SIDE_OF_A)) return 'A';
  return discarded === 0 ? 'C' : 'B';
}

export const levelsOf = (tc: TileComponent, part: Part): Resolution[] =>
  tc.resolutions.filter(({ level }) => partOf(tc, level) === part);

/** Cells of a resolution level, in raster order: columns [x0, x1), rows [y0, y1) of the code-block grid, each with all subbands there. */
export interface CellGrid extends Rect {
  readonly columns: number;
  readonly count: number;
}

/** Code-block columns and rows that `rect`, a part of a subband, touches. */
const blocksOf = ({ x0, y0, x1, y1 }: Rect, { log2CodeblockWidth: lw, log2CodeblockHeight: lh }: Resolution): Rect => ({
  x0: x0 >> lw,
  y0: y0 >> lh,
  x1: ((x1 - 1) >> lw) + 1,
  y1: ((y1 - 1) >> lh) + 1,
});

/** The cells that parts of the subbands of a level touch. */
function cellsTouched(level: Resolution, bands: readonly Rect[]): Rect {
  const touched = bands.filter((band) => !isEmpty(band)).map((band) => blocksOf(band, level));
  if (touched.length === 0) return { x0: 0, y0: 0, x1: 0, y1: 0 };
  return touched.reduce((all, { x0, y0, x1, y1 }) => ({
    ...{ x0: Math.min(all.x0, x0), y0: Math.min(all.y0, y0) },
    ...{ x1: Math.max(all.x1, x1), y1: Math.max(all.y1, y1) },
  }));
}

export function cellGrid(level: Resolution): CellGrid {
  const touched = cellsTouched(level, level.bands);
  const columns = touched.x1 - touched.x0;
  return { ...touched, columns, count: columns * (touched.y1 - touched.y0) };
}

const cellNumber = (grid: CellGrid, x: number, y: number): number => (y - grid.y0) * grid.columns + x - grid.x0;

/** The code-block of a subband in the cell at (x, y); null where the subband has none. */
export function blockIn(level: Resolution, band: Subband, x: number, y: number): Rect | null {
  const { log2CodeblockWidth: lw, log2CodeblockHeight: lh } = level;
  const block = intersect(band, { x0: x << lw, y0: y << lh, x1: (x + 1) << lw, y1: (y + 1) << lh });
  return isEmpty(block) ? null : block;
}

/** Version of the format, tables of the quad code included. It is part of the object keys. */
export const COEFFICIENTS_VERSION = 1;

export const MAGIC = new TextEncoder().encode('HEQC');

/** Longest cell: three code-blocks of at most 48 kB. */
const MAX_CELL_BYTES = 150_000;

export interface LevelCells {
  readonly level: number;
  /** Offsets of the cells in their part, and the end of the last. In part A they count from the first cell. */
  readonly offsets: Uint32Array;
  readonly checksums: Uint32Array;
}

export type PartCells = { readonly levels: readonly LevelCells[]; readonly bytes: Uint8Array };

export interface PartA {
  readonly index: Jp2Index;
  /** Cells by level; null for levels whose part does not exist. */
  readonly levels: readonly (LevelCells | null)[];
  /** Parts that existed when this one was written. */
  readonly parts: ReadonlySet<Part>;
  readonly cells: Uint8Array;
}

function readLevels(r: ByteReader, tc: TileComponent, part: Part): LevelCells[] {
  let end = 0;
  return levelsOf(tc, part).map((resolution) => {
    const { count } = cellGrid(resolution);
    const offsets = new Uint32Array(count + 1);
    const checksums = new Uint32Array(count);
    for (let k = 0; k < count; k++) {
      offsets[k] = end;
      const length = r.varint();
      if (length > MAX_CELL_BYTES) throw damaged(`has a cell of more than ${MAX_CELL_BYTES} bytes`);
      end += length;
      checksums[k] = r.u32LittleEndian();
    }
    offsets[count] = end;
    return { level: resolution.level, offsets, checksums };
  });
}

const damaged = (what: string): Jp2Error => malformed(`The coefficient sidecar ${what}.`);

/** Reads part A. @throws Jp2Error (malformed) when it is damaged, cut short or of another version */
export function decodePartA(bytes: Uint8Array): PartA {
  const r = new ByteReader(bytes, 'coefficient sidecar');
  if (MAGIC.some((byte) => r.u8() !== byte) || r.u8() !== COEFFICIENTS_VERSION)
    throw damaged(`is not of version ${COEFFICIENTS_VERSION}`);
  const present = r.u8();
  const index = decodeSidecar(r.take(r.varint()));
  const tc = codedComponent(index);
  if (!tc) throw damaged('belongs to an image of several tiles or components');
  const parts = new Set<Part>(['A', ...UPPER_PARTS.filter((_, i) => present & (1 << i))]);
  const levels: (LevelCells | null)[] = tc.resolutions.map(() => null);
  for (const part of parts) for (const cells of readLevels(r, tc, part)) levels[cells.level] = cells;
  const headLength = r.position;
  const checksum = crc32(bytes.subarray(0, headLength));
  if (r.u32LittleEndian() !== checksum) throw damaged('does not match its checksum');
  const cells = bytes.subarray(headLength + 4);
  const last = levelsOf(tc, 'A').at(-1);
  if (cells.length !== (last ? levels[last.level]!.offsets.at(-1)! : 0)) throw damaged('lacks cells of part A, or has too many');
  return { index, levels, parts, cells };
}

/** Cells that are damaged or do not match the index. The codestream has the same samples. */
export class DamagedCells extends Error {
  readonly level: number;

  constructor(level: number) {
    super(`Level ${level} of the coefficient sidecar does not match its index.`);
    this.level = level;
  }
}

/** The bytes of a part that a level of a plan needs, as one range; null when it needs none. */
export function cellRange(r: Resolution, plan: LevelPlan, { offsets }: LevelCells): ByteRange | null {
  const grid = cellGrid(r);
  const { x0, y0, x1, y1 } = cellsTouched(r, plan.bands);
  if (x1 === x0) return null;
  const offset = offsets[cellNumber(grid, x0, y0)]!;
  const end = offsets[cellNumber(grid, x1 - 1, y1 - 1) + 1]!;
  return end > offset ? { offset, length: end - offset } : null;
}

/** Bytes behind the cells that the decoder may read before it notices damage. */
const PADDING_BYTES = 2048;

/** A code-block in the core's memory. Length 0: all of its samples are zero. */
type Block = { readonly rect: Rect; readonly address: number; readonly length: number; readonly flags: number };

/** Most bytes of a LEB128 number in a cell. */
const MAX_VARINT_BYTES = 3;

/** Reads the header of the cell at [from, to) of `memory`: the code-blocks of the subbands, in their order. */
function readCell(memory: Uint8Array, from: number, to: number, rects: readonly (Rect | null)[], level: number) {
  let at = from;
  const coded = rects.map((rect) => {
    if (!rect) return null;
    let length = 0;
    for (let i = 0; ; i++) {
      const byte = memory[at++]!;
      length |= (byte & 127) << (7 * i);
      if (byte < 128) break;
      if (i + 1 === MAX_VARINT_BYTES) throw new DamagedCells(level);
    }
    return { rect, length, flags: length ? memory[at++]! : 0 };
  });
  const blocks = coded.map((block) => {
    if (!block) return null;
    const address = at;
    at += block.length;
    return { ...block, address };
  });
  if (at !== to) throw new DamagedCells(level);
  return blocks;
}

/** Cost of a sample in pixels of a layer, from `npm run bench -- decode`. */
const COST_OF_SAMPLE = 0.06;

/** Code-blocks from the cells of a level that were read. */
function cellLevel(core: CoreExports, tc: TileComponent, plan: LevelPlan, cells: LevelCells, chunk: Chunk): DecodeBand {
  const r = tc.resolutions[plan.level] as Resolution;
  const { offsets, checksums, level } = cells;
  const grid = cellGrid(r);
  const wasRead = cellsTouched(r, plan.bands);
  const start = copyIn(core, chunk.bytes) - chunk.offset;
  checkedAddress(core.alloc(PADDING_BYTES));
  /** Parsed cells by number. */
  const parsed = new Map<number, readonly (Block | null)[]>();

  /** The code-blocks of the cell at (x, y), with their checksum verified once. */
  const cellAt = (x: number, y: number): readonly (Block | null)[] => {
    const k = cellNumber(grid, x, y);
    const known = parsed.get(k);
    if (known) return known;
    const [from, to] = [start + offsets[k]!, start + offsets[k + 1]!];
    const memory = new Uint8Array(core.memory.buffer);
    if (crc32(memory.subarray(from, to)) !== checksums[k]) throw new DamagedCells(level);
    const rects = r.bands.map((band: Subband) => blockIn(r, band, x, y));
    const blocks = readCell(memory, from, to, rects, level);
    parsed.set(k, blocks);
    return blocks;
  };

  const decodeBlock = ({ rect, address, length, flags }: Block, part: Rect, to: number, stride: number, step: number): void => {
    const { x0, y0, x1, y1 } = rect;
    const within = [part.x0 - x0, part.y0 - y0, part.x1 - x0, part.y1 - y0] as const;
    const reversible = tc.coding.reversible ? 1 : 0;
    const status = core.decodeQuads(address, length, x1 - x0, y1 - y0, flags, ...within, to, stride, reversible, step);
    if (status < 0) throw new DamagedCells(level);
  };

  return function* (band, window, { address, stride }, step) {
    const touched = intersect(cellsTouched(r, [window]), wasRead);
    for (let y = touched.y0; y < touched.y1; y++) {
      for (let x = touched.x0; x < touched.x1; x++) {
        const block = cellAt(x, y)[band];
        if (!block) continue;
        const part = intersect(block.rect, window);
        if (isEmpty(part)) continue;
        const to = address + (part.y0 - window.y0) * stride + (part.x0 - window.x0) * 4;
        if (block.length === 0) core.clearPlane(to, stride, part.x1 - part.x0, part.y1 - part.y0);
        else decodeBlock(block, part, to, stride, step);
      }
      yield COST_OF_SAMPLE * (window.x1 - window.x0) * (1 << r.log2CodeblockHeight);
    }
  };
}

export interface ReadCells {
  readonly cells: LevelCells;
  /** The bytes of `cellRange`; null when it is null. */
  readonly chunk: Chunk | null;
}

/** The levels whose cells are in part A. */
export const cellsOfA = ({ index, levels, cells: bytes }: PartA): ReadonlyMap<number, ReadCells> =>
  new Map(
    levelsOf(codedComponent(index)!, 'A').map(({ level }) => [level, { cells: levels[level]!, chunk: { offset: 0, bytes } }]),
  );

const NO_BYTES: Chunk = { offset: 0, bytes: new Uint8Array(0) };

/** Opens the levels of a plan from their cells, or from `others` where there are none. Their decoding throws DamagedCells. */
export const cellLevels =
  (levels: ReadonlyMap<number, ReadCells>, others: LevelSource | null): LevelSource =>
  (core) => {
    const openOther = others?.(core);
    return (tile, component, plan) => {
      const read = levels.get(plan.level);
      if (!read) return (openOther as OpenLevel)(tile, component, plan);
      return cellLevel(core, tile.components[component]!, plan, read.cells, read.chunk ?? NO_BYTES);
    };
  };
