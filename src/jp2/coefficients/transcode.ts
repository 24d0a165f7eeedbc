// Makes the parts of a coefficient sidecar: every code-block goes from MQ code to quads and back, and is compared (wasm/core/quads).
import { crc32 } from 'node:zlib';
import { ByteWriter } from '../bytes.ts';
import { type OpenPrecinct, openPrecincts } from '../codestream-blocks.ts';
import { type CoreExports, checked, withCore } from '../core/core.ts';
import type { Jp2Index } from '../sidecar.ts';
import { intersect, isEmpty, type Rect, type Resolution, type Subband, type TileComponent } from '../structure.ts';
import { precinctsOf } from '../window.ts';
import type { CellGrid, LevelCells, Part, PartCells } from './format.ts';
import { blockIn, COEFFICIENTS_VERSION, cellGrid, codedComponent, levelsOf, MAGIC, UPPER_PARTS } from './format.ts';

/** Transcodes the code-block at `block`. Returns its bytes behind its length and flags; a single 0 when it has no coding passes. */
function transcodeBlock(
  core: CoreExports,
  tc: TileComponent,
  r: Resolution,
  precincts: readonly OpenPrecinct[],
  b: number,
  block: Rect,
): { bytes: Uint8Array; flags: number } | null {
  const precinct = precincts.find(({ bands }) => !isEmpty(intersect(bands[b] as Rect, block))) as OpenPrecinct;
  const { log2CodeblockWidth: lw, log2CodeblockHeight: lh } = r;
  const { x0, y0, x1 } = precinct.bands[b] as Rect;
  const columns = ((x1 - 1) >> lw) - (x0 >> lw) + 1;
  const number = ((block.y0 >> lh) - (y0 >> lh)) * columns + (block.x0 >> lw) - (x0 >> lw);
  const length = checked(core.transcodeBlock(precinct.address, b, number, tc.coding.blockStyle));
  if (length === 0) return null;
  return { bytes: new Uint8Array(core.memory.buffer, core.quadBytes(), length).slice(), flags: core.quadFlags.value as number };
}

/** The cells of row `y`: for each the lengths and flags of its code-blocks, then their bytes. */
function transcodeRow(index: Jp2Index, codestream: Uint8Array, tc: TileComponent, r: Resolution, grid: CellGrid, y: number) {
  const { log2CodeblockHeight: lh } = r;
  const rows = r.bands.map((band) => intersect(band, { ...band, y0: y << lh, y1: (y + 1) << lh }));
  return withCore((core) => {
    const open = openPrecincts(core, [{ offset: 0, bytes: codestream }]);
    const precincts = open(index.tiles[0]!, 0, r.level, precinctsOf(r, rows));
    const cells: Uint8Array[] = [];
    for (let x = grid.x0; x < grid.x1; x++) {
      const header = new ByteWriter();
      const bodies = new ByteWriter();
      r.bands.forEach((band: Subband, b) => {
        const block = blockIn(r, band, x, y);
        if (!block) return;
        const coded = transcodeBlock(core, tc, r, precincts, b, block);
        header.varint(coded?.bytes.length ?? 0);
        if (!coded) return;
        header.u8(coded.flags);
        bodies.put(coded.bytes);
      });
      header.put(bodies.finish());
      cells.push(header.finish());
    }
    return cells;
  });
}

/**
 * Makes a part in steps of one row of cells, so that a caller can let other work in between: a row of an image of 4096 x 4096 takes about
 * 10 ms at full resolution. Null when the image cannot have a sidecar.
 * @param codestream The whole codestream
 * @throws Jp2Error when the codestream is malformed, or (unsupported) has magnitudes beyond the code
 */
export function* transcodePart(index: Jp2Index, codestream: Uint8Array, part: Part): Generator<void, PartCells | null> {
  const tc = codedComponent(index);
  if (!tc) return null;
  const all = new ByteWriter();
  const levels: LevelCells[] = [];
  let end = 0;
  for (const r of levelsOf(tc, part)) {
    const grid = cellGrid(r);
    const offsets = new Uint32Array(grid.count + 1);
    const checksums = new Uint32Array(grid.count);
    let k = 0;
    for (let y = grid.y0; y < grid.y1; y++) {
      for (const cell of transcodeRow(index, codestream, tc, r, grid, y)) {
        offsets[k] = end;
        checksums[k++] = crc32(cell);
        end += cell.length;
        all.put(cell);
      }
      yield;
    }
    offsets[grid.count] = end;
    levels.push({ level: r.level, offsets, checksums });
  }
  return { levels, bytes: all.finish() };
}

function writeLevels(w: ByteWriter, levels: readonly LevelCells[]): void {
  for (const { offsets, checksums } of levels)
    checksums.forEach((checksum, k) => {
      w.varint(offsets[k + 1]! - offsets[k]!);
      for (let shift = 0; shift < 32; shift += 8) w.u8((checksum >>> shift) & 255);
    });
}

/** @param sidecar The index sidecar of the image @param upper Parts B and C as far as they exist */
export function encodePartA(sidecar: Uint8Array, a: PartCells, upper: ReadonlyMap<Part, readonly LevelCells[]>): Uint8Array {
  const w = new ByteWriter();
  w.put(MAGIC);
  w.u8(COEFFICIENTS_VERSION);
  w.u8(UPPER_PARTS.reduce((bits, part, i) => bits | (upper.has(part) ? 1 << i : 0), 0));
  w.block(sidecar);
  writeLevels(w, a.levels);
  for (const part of UPPER_PARTS) writeLevels(w, upper.get(part) ?? []);
  const head = w.finish();
  const bytes = new Uint8Array(head.length + 4 + a.bytes.length);
  bytes.set(head);
  new DataView(bytes.buffer).setUint32(head.length, crc32(head), true);
  bytes.set(a.bytes, head.length + 4);
  return bytes;
}
