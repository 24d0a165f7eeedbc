// Code-blocks of a resolution level from a coefficient sidecar.
import { crc32 } from 'node:zlib';
import type { ByteRange } from '../byte-source.ts';
import { type CoreExports, checkedAddress } from '../core/core.ts';
import type { Chunk, LevelBlocks, LevelSource, Rows } from '../jp2/level-blocks.ts';
import { put } from '../jp2/packet-index.ts';
import { intersect, isEmpty, type Rect, type Resolution, type Subband, type TileComponent } from '../jp2/structure.ts';
import type { LevelPlan } from '../jp2/window.ts';
import { blockIn, type CellGrid, cellGrid, cellNumber, cellsTouched } from './cells.ts';
import type { LevelCells } from './format.ts';

/** Cells that are damaged or not those of the index. The codestream has the same samples. */
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
  const offset = offsets[cellNumber(grid, x0, y0)] as number;
  const end = offsets[cellNumber(grid, x1 - 1, y1 - 1) + 1] as number;
  return end > offset ? { offset, length: end - offset } : null;
}

/** Bytes behind the cells that the decoder may read before it notices damage. */
const PADDING_BYTES = 2048;

/** A code-block in the core's memory. Length 0: all of its samples are zero. */
interface Block {
  readonly rect: Rect;
  readonly address: number;
  readonly length: number;
  readonly flags: number;
}

/** Most bytes of a LEB128 number in a cell. */
const MAX_VARINT_BYTES = 3;

/** Reads the header of the cell at [from, to) of `memory`: the code-blocks of the subbands, in their order. */
function readCell(
  memory: Uint8Array,
  from: number,
  to: number,
  rects: readonly (Rect | null)[],
  level: number,
): readonly (Block | null)[] {
  let at = from;
  const coded = rects.map((rect) => {
    if (!rect) return null;
    let length = 0;
    for (let i = 0; ; i++) {
      const byte = memory[at++] as number;
      length |= (byte & 127) << (7 * i);
      if (byte < 128) break;
      if (i + 1 === MAX_VARINT_BYTES) throw new DamagedCells(level);
    }
    return { rect, length, flags: length ? (memory[at++] as number) : 0 };
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

class CellLevel implements LevelBlocks {
  readonly #core: CoreExports;
  readonly #r: Resolution;
  readonly #reversible: number;
  readonly #cells: LevelCells;
  readonly #grid: CellGrid;
  /** Columns and rows of cells that were read. */
  readonly #read: Rect;
  readonly #address: number;
  readonly #offset: number;
  /** Parsed cells by number. */
  readonly #parsed = new Map<number, readonly (Block | null)[]>();

  constructor(core: CoreExports, tc: TileComponent, plan: LevelPlan, cells: LevelCells, chunk: Chunk) {
    this.#core = core;
    this.#r = tc.resolutions[plan.level] as Resolution;
    this.#reversible = tc.coding.reversible ? 1 : 0;
    this.#cells = cells;
    this.#grid = cellGrid(this.#r);
    this.#read = cellsTouched(this.#r, plan.bands);
    this.#address = put(core, chunk.bytes);
    checkedAddress(core.alloc(PADDING_BYTES));
    this.#offset = chunk.offset;
  }

  /** The code-blocks of the cell at (x, y), with their checksum verified once. */
  #cell(x: number, y: number): readonly (Block | null)[] {
    const k = cellNumber(this.#grid, x, y);
    const known = this.#parsed.get(k);
    if (known) return known;
    const { offsets, checksums, level } = this.#cells;
    const from = this.#address + (offsets[k] as number) - this.#offset;
    const to = this.#address + (offsets[k + 1] as number) - this.#offset;
    const memory = new Uint8Array(this.#core.memory.buffer);
    if (crc32(memory.subarray(from, to)) !== checksums[k]) throw new DamagedCells(level);
    const rects = this.#r.bands.map((band: Subband) => blockIn(this.#r, band, x, y));
    const blocks = readCell(memory, from, to, rects, level);
    this.#parsed.set(k, blocks);
    return blocks;
  }

  decode(band: number, window: Rect, { address, stride }: Rows, step: number): void {
    const touched = intersect(cellsTouched(this.#r, [window]), this.#read);
    for (let y = touched.y0; y < touched.y1; y++) {
      for (let x = touched.x0; x < touched.x1; x++) {
        const block = this.#cell(x, y)[band];
        if (!block) continue;
        const part = intersect(block.rect, window);
        if (isEmpty(part)) continue;
        const to = address + (part.y0 - window.y0) * stride + (part.x0 - window.x0) * 4;
        if (block.length === 0) this.#core.clearPlane(to, stride, part.x1 - part.x0, part.y1 - part.y0);
        else this.#decodeBlock(block, part, to, stride, step);
      }
    }
  }

  #decodeBlock({ rect, address, length, flags }: Block, part: Rect, to: number, stride: number, step: number): void {
    const { x0, y0 } = rect;
    const status = this.#core.decodeQuads(
      address,
      length,
      rect.x1 - x0,
      rect.y1 - y0,
      flags,
      part.x0 - x0,
      part.y0 - y0,
      part.x1 - x0,
      part.y1 - y0,
      to,
      stride,
      this.#reversible,
      step,
    );
    if (status < 0) throw new DamagedCells(this.#cells.level);
  }
}

/** The cells of a level that a plan needs. */
export interface ReadCells {
  readonly cells: LevelCells;
  /** The bytes of `cellRange`; null when it is null. */
  readonly chunk: Chunk | null;
}

const NO_BYTES: Chunk = { offset: 0, bytes: new Uint8Array(0) };

/**
 * Opens the levels of a plan from their cells, and those without any from `others`. The methods of a level throw DamagedCells.
 * @param levels By level
 */
export function cellLevels(levels: ReadonlyMap<number, ReadCells>, others: LevelSource): LevelSource {
  return (core) => {
    const openOther = others(core);
    return (tile, component, plan) => {
      const read = levels.get(plan.level);
      if (!read) return openOther(tile, component, plan);
      return new CellLevel(core, tile.components[component] as TileComponent, plan, read.cells, read.chunk ?? NO_BYTES);
    };
  };
}
