// Coefficient sidecars in memory: made from a file, and read window by window as a server would.
import type { LevelCells, Part, ReadCells } from '../../../src/jp2/coefficients/format.ts';
import { cellLevels, cellRange, codedComponent, decodePartA, partOf } from '../../../src/jp2/coefficients/format.ts';
import { encodePartA, transcodePart } from '../../../src/jp2/coefficients/transcode.ts';
import { type DecodedComponent, decodeWindow } from '../../../src/jp2/decode.ts';
import { encodeSidecar, type Jp2Index } from '../../../src/jp2/sidecar.ts';
import type { Rect, Resolution, TileComponent } from '../../../src/jp2/structure.ts';
import { planWindow } from '../../../src/jp2/window.ts';

/** The parts as they are stored; A knows of both others. */
export type StoredParts = Readonly<Record<Part, Uint8Array>>;

const PARTS = ['A', 'B', 'C'] as const;

const codestreamOf = (file: Uint8Array, { codestreamOffset, codestreamLength }: Jp2Index): Uint8Array =>
  file.subarray(codestreamOffset, codestreamOffset + codestreamLength);

/** Runs a generator to its end. */
export function finished<T>(steps: Generator<void, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** All parts of an image; null when it cannot have a coefficient sidecar. */
export function transcoded(file: Uint8Array, index: Jp2Index): StoredParts | null {
  if (!codedComponent(index)) return null;
  const [a, b, c] = PARTS.map((part) => finished(transcodePart(index, codestreamOf(file, index), part))!);
  const upper = new Map<Part, readonly LevelCells[]>([
    ['B', b!.levels],
    ['C', c!.levels],
  ]);
  return { A: encodePartA(encodeSidecar(index), a!, upper), B: b!.bytes, C: c!.bytes };
}

/** Decodes a window from stored parts alone. */
export function decodeFromParts(stored: StoredParts, reduce: number, windowRect?: Rect): DecodedComponent[] {
  const head = decodePartA(stored.A);
  const { index } = head;
  const tc = codedComponent(index) as TileComponent;
  const plan = planWindow(index, { reduce, window: windowRect ?? index.size });
  const read = new Map<number, ReadCells>();
  for (const levelPlan of plan.tiles[0]?.components[0]?.levels ?? []) {
    const cells = head.levels[levelPlan.level] as LevelCells;
    const range = cellRange(tc.resolutions[levelPlan.level] as Resolution, levelPlan, cells);
    const part = partOf(tc, levelPlan.level);
    const bytes = part === 'A' ? head.cells : stored[part];
    const chunk = range && { offset: range.offset, bytes: bytes.subarray(range.offset, range.offset + range.length) };
    read.set(levelPlan.level, { cells, chunk });
  }
  return decodeWindow(index.size, plan, cellLevels(read, null));
}
