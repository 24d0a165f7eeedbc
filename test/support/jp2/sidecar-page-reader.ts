// A reader of the lowest resolution level in part A of a coefficient sidecar, written from docs/sidecar-format.md and ISO/IEC 15444-1 alone: it
// shares no code with the service, so that the page is proved to be complete.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

const STATES = 1024;
const RARE = 256;

class Varints {
  at = 0;
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
  next(): number {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const byte = this.bytes[this.at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }
}

/** "Tables": of each of the nine contexts, the step of each state. */
function stepTables() {
  const source = readFileSync(join(import.meta.dirname, '../../../wasm/core/quads/frequencies.ts'), 'utf8');
  const numbers = source.slice(source.indexOf('[') + 1, source.lastIndexOf(']')).match(/\d+/g)!;
  const r = new Varints(Uint8Array.from(numbers, Number));
  return Array.from({ length: 9 }, () => {
    const frequencies = new Map<number, number>();
    for (let symbol = -1, left = STATES; left > 0; ) {
      symbol += 1 + r.next();
      frequencies.set(symbol, r.next());
      left -= frequencies.get(symbol)!;
    }
    const symbols: number[] = [];
    let state = 0;
    for (const [symbol, frequency] of frequencies)
      for (let i = 0; i < frequency; i++, state = (state + 643) % STATES) symbols[state] = symbol;
    const seen = new Map<number, number>();
    return symbols.map((symbol) => {
      const rank = seen.get(symbol) ?? 0;
      seen.set(symbol, rank + 1);
      const x = frequencies.get(symbol)! + rank;
      const bits = 10 - Math.floor(Math.log2(x));
      return { symbol, bits, base: (x << bits) - STATES };
    });
  });
}
const TABLES = stepTables();

/** "Streams": bits of stream A, low bits first from the first byte, or of B, high bits first from the last. */
function bitReader(bytes: Uint8Array, isB: boolean): (count: number) => number {
  let at = 0;
  return (count) => {
    let value = 0;
    for (let i = 0; i < count; i++, at++) {
      const byte = bytes[isB ? bytes.length - 1 - (at >> 3) : at >> 3]!;
      if (isB) value = 2 * value + ((byte >> (7 - (at & 7))) & 1);
      else value += ((byte >> (at & 7)) & 1) << i;
    }
    return value;
  };
}

const zerosBeforeOne = (next: (count: number) => number): number => {
  let zeros = 0;
  while (next(1) === 0) zeros += 1;
  return zeros;
};

const classOf = (sum: number, limits: readonly [number, number]): number => (sum <= limits[0] ? 0 : sum <= limits[1] ? 1 : 2);
const sumOf = (pattern: number): number => (pattern & 3) + ((pattern >> 2) & 3) + ((pattern >> 4) & 3) + (pattern >> 6);

/** "The quad code": reconstruction points of a block, row by row. */
function decodeBlock(bytes: Uint8Array, flags: number, width: number, height: number): number[] {
  const [plane, isDense, isPartial] = [flags & 31, (flags & 64) !== 0, (flags & 128) !== 0];
  const [columns, half] = [Math.ceil(width / 4) * 2, Math.ceil(height / 4)];
  const [a, b] = [bitReader(bytes, false), bitReader(bytes, true)];
  const states = [a(10), a(10)];
  const [across, down] = [Math.ceil(columns / 8), Math.ceil(half / 8)];
  const lowBits = [0, 1].map(() => {
    let k = 0;
    return Array.from({ length: across * down }, () => {
      const code = isDense ? zerosBeforeOne(b) : 0;
      k += code % 2 ? (code + 1) / 2 : -code / 2;
      return k;
    });
  });
  const sums: number[][] = [[], []];
  const samples: number[] = Array.from({ length: width * height }, () => 0);
  for (let q = 0; q < columns * half; q++) {
    const [x, y] = [q % columns, Math.floor(q / columns)];
    for (const h of [0, 1]) {
      const of = sums[h]!;
      const left = x > 0 ? of[q - 1]! : 0;
      const above = y > 0 ? 2 * of[q - columns]! + (x + 1 < columns ? of[q - columns + 1]! : 0) : 0;
      const step = TABLES[3 * classOf(above, [0, 4]) + classOf(left, [0, 2])]![states[h]!]!;
      states[h] = step.base + a(step.bits);
      const pattern = step.symbol === RARE ? b(8) : step.symbol;
      of[q] = step.symbol === RARE ? 12 : sumOf(pattern);
      const k = lowBits[h]![(y >> 3) * across + (x >> 3)]!;
      const lanes = [0, 2, 4, 6].map((shift) => (pattern >> shift) & 3);
      const high = lanes.map((lane) => {
        if (lane < 3) return lane;
        const zeros = zerosBeforeOne(b);
        return 2 + 2 ** zeros + b(zeros);
      });
      high.forEach((value, lane) => {
        const number = k > 0 ? value * 2 ** k + b(k) : value;
        const isMinus = k > 0 ? number % 2 === 1 : number > 0 && b(1) === 1;
        const s = k > 0 ? Math.ceil(number / 2) : number;
        const [column, row] = [2 * x + (lane & 1), 2 * (y + h * half) + (lane >> 1)];
        if (s === 0 || column >= width || row >= height) return;
        const point = isPartial ? (s === 1 ? 1.5 : 2 * s - 1) * 2 ** (plane - 1) : (2 * s + 1) * 2 ** (plane - 2);
        samples[row * width + column] = isMinus ? -point : point;
      });
    }
  }
  if (states[0] !== 0 || states[1] !== 0) throw new Error('Expected both states to end as 0.');
  return samples;
}

/** The samples of the LL band of a codestream of one component, level-shifted and clamped (Annexes E and G). */
export function lowestLevel(codestream: Uint8Array, partA: Uint8Array): { width: number; height: number; samples: number[] } {
  const view = new DataView(codestream.buffer, codestream.byteOffset);
  const segment = (marker: number): number => {
    for (let at = 2; ; at += 2 + view.getUint16(at + 2)) if (view.getUint16(at) === marker) return at + 4;
  };
  const [siz, cod, qcd] = [segment(0xff51), segment(0xff52), segment(0xff5c)];
  const [x1, y1] = [view.getUint32(siz + 2), view.getUint32(siz + 6)];
  const depth = view.getUint8(siz + 36);
  const [precision, isSigned] = [(depth & 127) + 1, depth > 127];
  const levels = view.getUint8(cod + 5);
  const [log2Width, log2Height] = [view.getUint8(cod + 6) + 2, view.getUint8(cod + 7) + 2];
  const isReversible = view.getUint8(cod + 9) === 1;
  const quantiser = (view.getUint8(qcd) & 31) === 0 ? 0 : view.getUint16(qcd + 1);
  const stepSize = isReversible ? 1 : 2 ** (precision - (quantiser >> 11)) * (1 + (quantiser & 2047) / 2048);
  /** Blocks of a level: those of its largest subband, for an image that begins at 0. */
  const grid = (level: number): readonly [number, number] => {
    const reduction = 2 ** (level === 0 ? levels : levels - level + 1);
    return [Math.ceil(Math.ceil(x1 / reduction) / 2 ** log2Width), Math.ceil(Math.ceil(y1 / reduction) / 2 ** log2Height)];
  };

  const r = new Varints(partA);
  r.at = 5;
  const parts = partA[r.at++]!;
  const skipped = r.next();
  r.at += skipped;
  const sideOf = (level: number) => Math.ceil(Math.max(x1, y1) / 2 ** (levels - level));
  const isInA = (level: number) => sideOf(level) <= 512 || (levels - level >= 2 && sideOf(level) <= 1024);
  const cells: { level: number; length: number; checksum: number }[] = [];
  for (let level = 0; level <= levels; level++) {
    const bit = level === levels ? 2 : 1;
    const count = isInA(level) || parts & bit ? grid(level)[0] * grid(level)[1] : 0;
    for (let i = 0; i < count; i++) {
      const length = r.next();
      cells.push({ level, length, checksum: new DataView(partA.buffer, partA.byteOffset + r.at).getUint32(0, true) });
      r.at += 4;
    }
  }
  const checksum = new DataView(partA.buffer, partA.byteOffset + r.at).getUint32(0, true);
  if (checksum !== crc32(partA.subarray(0, r.at))) throw new Error('Expected the checksum of the head.');
  r.at += 4;

  const [width, height] = [Math.ceil(x1 / 2 ** levels), Math.ceil(y1 / 2 ** levels)];
  const samples: number[] = [];
  const [columns] = grid(0);
  const [low, high] = isSigned ? [-(2 ** (precision - 1)), 2 ** (precision - 1) - 1] : [0, 2 ** precision - 1];
  cells
    .filter(({ level }) => level === 0)
    .forEach(({ length, checksum }, i) => {
      const cell = partA.subarray(r.at, r.at + length);
      r.at += length;
      if (crc32(cell) !== checksum) throw new Error(`Expected the checksum of cell ${i}.`);
      const [left, top] = [(i % columns) << log2Width, Math.floor(i / columns) << log2Height];
      const [w, h] = [Math.min(1 << log2Width, width - left), Math.min(1 << log2Height, height - top)];
      const header = new Varints(cell);
      const bytes = header.next();
      const points = bytes === 0 ? [] : decodeBlock(cell.subarray(header.at + 1), cell[header.at]!, w, h);
      for (let y = 0; y < h; y++)
        for (let x = 0; x < w; x++) {
          const point = (points[y * w + x] ?? 0) * stepSize;
          const value = (isReversible ? Math.trunc(point) : Math.round(point)) + (isSigned ? 0 : 2 ** (precision - 1));
          samples[(top + y) * width + left + x] = Math.min(high, Math.max(low, value));
        }
    });
  return { width, height, samples };
}
