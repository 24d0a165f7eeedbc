// Entropy-coded images of lossless WebP (RFC 9649, 3.7): pixels as prefix codes and runs.
import type { BitWriter } from './bit-writer.ts';
import { type PrefixCode, writePrefixCode } from './vp8l-codes.ts';
import { findRuns, lengthPrefix } from './vp8l-runs.ts';

/** Symbols of the green code: literals and prefixes of run lengths. */
const GREEN_SYMBOLS = 256 + 24;
const LITERALS = 256;
const DISTANCES = 40;

/** Green, red, blue, alpha: the order of a pixel's symbols in the file. */
const CHANNELS = 4;

const increment = (counts: Uint32Array, symbol: number): void => {
  counts[symbol] = (counts[symbol] as number) + 1;
};

/** Symbol counts of one group of five prefix codes. */
class GroupCounts {
  readonly literals = Array.from({ length: CHANNELS }, (_, i) => new Uint32Array(i === 0 ? GREEN_SYMBOLS : LITERALS));
  readonly distances = new Uint32Array(DISTANCES);

  write(writer: BitWriter): { literals: PrefixCode[]; distances: PrefixCode } {
    const literals = this.literals.map((counts) => writePrefixCode(writer, counts));
    return { literals, distances: writePrefixCode(writer, this.distances) };
  }
}

export interface CodedPixels {
  readonly width: number;
  readonly count: number;
  /** The first one, two, three or four of green, red, blue and alpha. The others are 0 throughout and take no bits. */
  readonly channels: readonly Uint8Array[];
  /** Number of groups of five prefix codes. */
  readonly groups: number;
  /** Number of the group of a pixel. */
  groupAt(x: number, y: number): number;
  /** Width of the row stretches that share a group. */
  readonly groupWidth: number;
}

/** Writes the prefix codes to `codes` and the pixels to `data`. The caller writes what precedes the codes. */
export function writePixels(pixels: CodedPixels, codes: BitWriter, data: BitWriter): void {
  const { channels, count, width } = pixels;
  const runs = findRuns(channels, count, width);
  const groups = Array.from({ length: pixels.groups }, () => new GroupCounts());
  walk(pixels, runs, {
    literals(group, from, to) {
      const { literals } = groups[group] as GroupCounts;
      channels.forEach((values, channel) => {
        const counts = literals[channel] as Uint32Array;
        for (let i = from; i < to; i++) increment(counts, values[i] as number);
      });
    },
    run(group, length, distance) {
      const { literals, distances } = groups[group] as GroupCounts;
      increment(literals[0] as Uint32Array, LITERALS + lengthPrefix(length).prefix);
      increment(distances, distance);
    },
  });
  const written = groups.map((group) => group.write(codes));
  walk(pixels, runs, {
    literals(group, from, to) {
      const { literals } = written[group] as (typeof written)[number];
      writeLiterals(channels, literals, from, to, data);
    },
    run(group, length, distance) {
      const { literals, distances } = written[group] as (typeof written)[number];
      const { prefix, extra, extraBits } = lengthPrefix(length);
      const { codes: greens, lengths } = literals[0] as PrefixCode;
      data.write(greens[LITERALS + prefix] as number, lengths[LITERALS + prefix] as number);
      data.write(extra, extraBits);
      data.write(distances.codes[distance] as number, distances.lengths[distance] as number);
    },
  });
}

interface Visitor {
  literals(group: number, from: number, to: number): void;
  run(group: number, length: number, distance: number): void;
}

/** Visits pixels and runs in file order, literals in stretches of one row and one group. */
function walk({ count, width, groupWidth, groupAt }: CodedPixels, runs: readonly number[], visitor: Visitor): void {
  let next = 0;
  for (let at = 0; at < count; ) {
    const x = at % width;
    const group = groupAt(x, (at - x) / width);
    const runAt = next < runs.length ? (runs[next] as number) : count;
    if (runAt === at) {
      const length = runs[next + 1] as number;
      visitor.run(group, length, runs[next + 2] as number);
      next += 3;
      at += length;
      continue;
    }
    const end = Math.min(runAt, at + width - x, at + groupWidth - (x % groupWidth));
    visitor.literals(group, at, end);
    at = end;
  }
}

function writeLiterals(
  channels: readonly Uint8Array[],
  codes: readonly PrefixCode[],
  from: number,
  to: number,
  data: BitWriter,
): void {
  const green = channels[0] as Uint8Array;
  const { codes: greenCodes, lengths: greenLengths } = codes[0] as PrefixCode;
  if (channels.length === 1) {
    for (let i = from; i < to; i++)
      data.write(greenCodes[green[i] as number] as number, greenLengths[green[i] as number] as number);
    return;
  }
  for (let i = from; i < to; i++) {
    for (let channel = 0; channel < channels.length; channel++) {
      const symbol = (channels[channel] as Uint8Array)[i] as number;
      const code = codes[channel] as PrefixCode;
      data.write(code.codes[symbol] as number, code.lengths[symbol] as number);
    }
  }
}

/** A small image inside the file (3.6): no colour cache, one group of codes. `channels` as in `CodedPixels`. */
export function writeSmallImage(writer: BitWriter, width: number, channels: readonly Uint8Array[]): void {
  writer.write(0, 1);
  const count = (channels[0] as Uint8Array).length;
  // The codes directly precede the pixels, so both go to the same writer.
  writePixels({ width, count, channels, groups: 1, groupAt: () => 0, groupWidth: width }, writer, writer);
}
