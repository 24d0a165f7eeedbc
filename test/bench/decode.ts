// The decoder compared with OpenJPEG on a 4096 x 4096 image: the whole image at reductions 3 to 5 (OpenJPEG in WebAssembly),
// and windows of 512 x 512 at reductions 0 to 2 (opj_decompress, without its start-up time, which one dark pixel measures).
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { peakMemoryBytes, resetPeakMemory } from '../../src/imaging/core/core.ts';
import { indexJp2 } from '../../src/imaging/jp2/index-jp2.ts';
import { decodeSidecar, encodeSidecar } from '../../src/imaging/jp2/sidecar.ts';
import type { Rect } from '../../src/imaging/jp2/structure.ts';
import { decodeFrom } from '../support/imaging/decode.ts';
import { openjpegDecode } from '../support/imaging/openjpeg.ts';
import { largeImages } from './images.ts';
import { alternate, median, time } from './measure.ts';
import type { Bench, BenchResult } from './run.ts';

const WHOLE_REDUCTIONS = [3, 4, 5];
const WINDOW_REDUCTIONS = [0, 1, 2];
const WINDOW_SIDE = 512;
const ROUNDS = 31;
const NATIVE_ROUNDS = 15;
/** Consecutive windows of ours in each round, because a server starts up once for many windows. */
const WINDOWS_PER_ROUND = 3;
/** Approximate solar radius in the archive's 4096 x 4096 images. */
const SOLAR_RADIUS_PIXELS = 1600;

/** A window of `WINDOW_SIDE` output pixels at `reduce`, centred on the image or on the limb at 45 degrees. */
function window(place: 'centre' | 'limb', reduce: number): Rect {
  const half = (WINDOW_SIDE << reduce) / 2;
  const offset = place === 'limb' ? Math.round(SOLAR_RADIUS_PIXELS * Math.SQRT1_2) : 0;
  const x = Math.min(2048 + offset, 4096 - half);
  const y = Math.max(2048 - offset, half);
  return { x0: x - half, y0: y - half, x1: x + half, y1: y + half };
}

const hasNative = (): boolean => spawnSync('opj_decompress', ['-h']).error === undefined;

/** Milliseconds of one opj_decompress run on a window. */
function nativeTime(input: string, output: string, reduce: number, w: Rect): number {
  const args = [
    '-i',
    input,
    '-o',
    output,
    '-r',
    String(reduce),
    '-d',
    `${w.x0},${w.y0},${w.x1},${w.y1}`,
    '-threads',
    '1',
    '-quiet',
  ];
  return time(() => {
    const { status, stderr } = spawnSync('opj_decompress', args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`opj_decompress: ${stderr}`);
  });
}

function wholeImage(name: string, file: Uint8Array, sidecar: Uint8Array): BenchResult[] {
  const { codestreamOffset, codestreamLength } = decodeSidecar(sidecar);
  const codestream = file.subarray(codestreamOffset, codestreamOffset + codestreamLength);
  return WHOLE_REDUCTIONS.map((reduce) => {
    const { ours, theirs } = alternate(
      () => decodeFrom(file, decodeSidecar(sidecar), reduce),
      () => openjpegDecode(codestream, reduce),
      ROUNDS,
    );
    return { case: `${name} whole r${reduce}`, metric: 'time', unit: 'ms', value: ours, against: theirs, ratio: theirs / ours };
  });
}

function memory(name: string, file: Uint8Array, sidecar: Uint8Array, reduce: number, w: Rect): BenchResult {
  resetPeakMemory();
  decodeFrom(file, decodeSidecar(sidecar), reduce, w);
  return { case: name, metric: 'linear memory', unit: 'MiB', value: peakMemoryBytes / 2 ** 20 };
}

function windows(name: string, file: Uint8Array, sidecar: Uint8Array, directory: string): BenchResult[] {
  const input = join(directory, 'image.jp2');
  const output = join(directory, 'window.pgx');
  writeFileSync(input, file);
  const native = hasNative();
  const results: BenchResult[] = [];
  for (const reduce of WINDOW_REDUCTIONS) {
    for (const place of ['centre', 'limb'] as const) {
      const w = window(place, reduce);
      const label = `${name} ${place} ${WINDOW_SIDE} r${reduce}`;
      const pixel = { x0: 0, y0: 0, x1: 1 << reduce, y1: 1 << reduce };
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let i = -1; i < (native ? NATIVE_ROUNDS : ROUNDS); i++) {
        const other = native ? nativeTime(input, output, reduce, w) - nativeTime(input, output, reduce, pixel) : 0;
        const mine = Array.from({ length: WINDOWS_PER_ROUND }, () =>
          time(() => decodeFrom(file, decodeSidecar(sidecar), reduce, w)),
        );
        if (i < 0) continue;
        ours.push(...mine);
        theirs.push(other);
      }
      const value = median(ours);
      const compared = native ? { against: median(theirs), ratio: median(theirs) / value } : {};
      results.push({ case: label, metric: 'time', unit: 'ms', value, ...compared }, memory(label, file, sidecar, reduce, w));
    }
  }
  return results;
}

export const bench: Bench = {
  async run(log) {
    if (!hasNative()) log('opj_decompress is not installed: windows are measured without comparison');
    const directory = mkdtempSync(join(tmpdir(), 'helioedge-bench-'));
    try {
      const results: BenchResult[] = [];
      for (const { name, file } of await largeImages(log)) {
        const sidecar = encodeSidecar(indexJp2(file));
        results.push(...wholeImage(name, file, sidecar), ...windows(name, file, sidecar, directory));
      }
      return results;
    } finally {
      rmSync(directory, { recursive: true });
    }
  },
};
