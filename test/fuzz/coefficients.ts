// Fuzzes the reader of coefficient sidecars: damaged heads, and damaged cells whose checksums have been made to match, so that
// the decoder of the quad code sees the damage.
import { crc32 } from 'node:zlib';
import { codestreamLevels } from '../../src/jp2/codestream-blocks.ts';
import type { LevelCells, ReadCells } from '../../src/jp2/coefficients/format.ts';
import {
  cellGrid,
  cellLevels,
  cellRange,
  codedComponent,
  DamagedCells,
  decodePartA,
  levelsOf,
} from '../../src/jp2/coefficients/format.ts';
import { decodeWindow } from '../../src/jp2/decode.ts';
import { indexJp2 } from '../../src/jp2/sidecar.ts';
import { planWindow } from '../../src/jp2/window.ts';
import { type StoredParts, transcoded } from '../support/jp2/coefficients.ts';
import type { FuzzTarget } from './fuzzer.ts';
import { mutate, pick } from './mutate.ts';
import { rejectable, validImageCheck } from './rules.ts';
import { validStreams } from './streams.ts';

/** A head whose checksum is that of its damaged bytes, at a random length. */
function withChecksum(head: Uint8Array, headLength: number): Uint8Array {
  const copy = head.slice();
  if (copy.length >= headLength + 4) new DataView(copy.buffer).setUint32(headLength, crc32(copy.subarray(0, headLength)), true);
  return copy;
}

function damagedHead(stored: StoredParts, other: StoredParts, random: () => number): void {
  const { cells } = decodePartA(stored.A);
  const headLength = stored.A.length - cells.length - 4;
  const head = mutate(stored.A.subarray(0, headLength), other.A, random);
  const bytes = new Uint8Array(head.length + 4 + cells.length);
  bytes.set(head);
  bytes.set(cells, head.length + 4);
  rejectable(() => decodePartA(withChecksum(bytes, head.length)));
  rejectable(() => decodePartA(mutate(stored.A, other.A, random)));
}

/** The cells of a level with damaged bytes and the checksums of these. */
function damagedLevel({ level, offsets, checksums }: LevelCells, bytes: Uint8Array): LevelCells {
  return { level, offsets, checksums: checksums.map((_, k) => crc32(bytes.subarray(offsets[k], offsets[k + 1]))) };
}

function damagedCells(stored: StoredParts, other: StoredParts, random: () => number): void {
  const { index, levels, cells } = decodePartA(stored.A);
  const tc = codedComponent(index)!;
  const reduce = Math.floor(random() * (tc.coding.levels + 1));
  const plan = planWindow(index, { reduce, window: index.size });
  const read = new Map<number, ReadCells>();
  for (const part of ['A', 'B', 'C'] as const) {
    const bytes = part === 'A' ? cells : stored[part];
    if (bytes.length < 16) continue;
    const changed = mutate(bytes, other.A, random);
    const damaged = new Uint8Array(bytes.length);
    damaged.set(changed.subarray(0, bytes.length));
    for (const r of levelsOf(tc, part)) {
      const levelPlan = plan.tiles[0]?.components[0]?.levels.find(({ level }) => level === r.level);
      if (!levelPlan || cellGrid(r).count === 0) continue;
      const changedCells = damagedLevel(levels[r.level]!, damaged);
      const range = cellRange(r, levelPlan, changedCells);
      const chunk = range && { offset: range.offset, bytes: damaged.subarray(range.offset, range.offset + range.length) };
      read.set(r.level, { cells: changedCells, chunk });
    }
  }
  try {
    rejectable(() => decodeWindow(index.size, plan, cellLevels(read, codestreamLevels([]))));
  } catch (error) {
    if (!(error instanceof DamagedCells)) throw error;
  }
}

export const coefficientsTarget: FuzzTarget = () => {
  const sidecars = validStreams().flatMap((stream) => transcoded(stream, indexJp2(stream)) ?? []);
  const checkValidImage = validImageCheck();
  return (random) => {
    const [stored, other] = [pick(random, sidecars), pick(random, sidecars)];
    if (random() < 0.4) damagedHead(stored, other, random);
    else damagedCells(stored, other, random);
    checkValidImage();
  };
};
