// Part A of a coefficient sidecar (docs/sidecar-format.md): the index sidecar of the image, the index of the cells of all parts, and
// the cells of the low resolutions. Parts B and C are cells only.
import { crc32 } from 'node:zlib';
import { ByteReader, ByteWriter } from '../jp2/bytes.ts';
import { Jp2Error } from '../jp2/errors.ts';
import { decodeSidecar, type Jp2Index } from '../jp2/sidecar.ts';
import type { TileComponent } from '../jp2/structure.ts';
import { cellGrid, codedComponent, levelsOf, type Part, UPPER_PARTS } from './cells.ts';

/** Version of the format, tables of the quad code included. It is part of the object keys. */
export const COEFFICIENTS_VERSION = 1;

const MAGIC = new TextEncoder().encode('HEQC');

/** Longest cell: three code-blocks of at most 48 kB. */
const MAX_CELL_BYTES = 150_000;

/** The cells of one resolution level in its part. */
export interface LevelCells {
  readonly level: number;
  /** Offsets of the cells in their part, and the end of the last. In part A they count from the first cell. */
  readonly offsets: Uint32Array;
  /** CRC-32 of every cell. */
  readonly checksums: Uint32Array;
}

/** The cells of one part. */
export interface PartCells {
  readonly levels: readonly LevelCells[];
  readonly bytes: Uint8Array;
}

/** A parsed part A. */
export interface CoefficientHead {
  readonly index: Jp2Index;
  /** Levels of the parts that exist, by level; null for those of a part that does not. */
  readonly levels: readonly (LevelCells | null)[];
  /** Parts that existed when this one was written. */
  readonly parts: ReadonlySet<Part>;
  /** Cells of part A. */
  readonly cells: Uint8Array;
}

function writeLevels(w: ByteWriter, levels: readonly LevelCells[]): void {
  for (const { offsets, checksums } of levels) {
    checksums.forEach((checksum, k) => {
      w.varint((offsets[k + 1] as number) - (offsets[k] as number));
      for (let shift = 0; shift < 32; shift += 8) w.u8((checksum >>> shift) & 255);
    });
  }
}

/**
 * @param sidecar The index sidecar of the image
 * @param upper Parts B and C as far as they exist
 */
export function encodeHead(sidecar: Uint8Array, a: PartCells, upper: ReadonlyMap<Part, readonly LevelCells[]>): Uint8Array {
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

function readLevels(r: ByteReader, tc: TileComponent, part: Part): LevelCells[] {
  let end = 0;
  return levelsOf(tc, part).map((resolution) => {
    const { count } = cellGrid(resolution);
    const offsets = new Uint32Array(count + 1);
    const checksums = new Uint32Array(count);
    for (let k = 0; k < count; k++) {
      offsets[k] = end;
      const length = r.varint();
      if (length > MAX_CELL_BYTES) throw damaged('cells of at most 150 kB');
      end += length;
      const c = r.take(4);
      checksums[k] = ((c[0]! | (c[1]! << 8) | (c[2]! << 16)) + c[3]! * 2 ** 24) >>> 0;
    }
    offsets[count] = end;
    return { level: resolution.level, offsets, checksums };
  });
}

const damaged = (expected: string): Jp2Error =>
  new Jp2Error('malformed', `Expected ${expected} in the coefficient sidecar, got others.`);

/**
 * Reads part A.
 *
 * @throws Jp2Error (malformed) when it is damaged, cut short or of another version
 */
export function decodeHead(bytes: Uint8Array): CoefficientHead {
  const r = new ByteReader(bytes, 'coefficient sidecar');
  if (MAGIC.some((byte) => r.u8() !== byte) || r.u8() !== COEFFICIENTS_VERSION) throw damaged(`version ${COEFFICIENTS_VERSION}`);
  const present = r.u8();
  const index = decodeSidecar(r.take(r.varint()));
  const tc = codedComponent(index);
  if (!tc) throw damaged('an image of one tile and one component');
  const parts = new Set<Part>(['A', ...UPPER_PARTS.filter((_, i) => present & (1 << i))]);
  const levels: (LevelCells | null)[] = tc.resolutions.map(() => null);
  for (const part of parts) for (const cells of readLevels(r, tc, part)) levels[cells.level] = cells;
  const headLength = r.position;
  const checksum = crc32(bytes.subarray(0, headLength));
  const stored = r.take(4);
  if (new DataView(stored.buffer, stored.byteOffset, 4).getUint32(0, true) !== checksum)
    throw damaged('a head with its checksum');
  const cells = bytes.subarray(headLength + 4);
  const last = levelsOf(tc, 'A').at(-1);
  if (cells.length !== (last ? levels[last.level]!.offsets.at(-1)! : 0)) throw damaged('all cells of part A');
  return { index, levels, parts, cells };
}
