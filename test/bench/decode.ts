// The decoder on 4096 x 4096 images: whole images at reductions 3 to 5 against OpenJPEG in WebAssembly, and windows of 512 x 512 at
// reductions 0 to 3, from the codestream and from the coefficient sidecar, against native Grok and OpenJPEG. Windows are measured in
// processor time of one thread, which other work on the machine affects less than the clock; the making of part A as well.
import { transcodePart } from '../../src/jp2/coefficients/transcode.ts';
import { peakMemoryBytes, resetPeakMemory } from '../../src/jp2/core/core.ts';
import { decodeSidecar, encodeSidecar, indexJp2 } from '../../src/jp2/sidecar.ts';
import type { Rect } from '../../src/jp2/structure.ts';
import { decodeFrom } from '../support/imaging/decode.ts';
import { decodeFromParts, finished, transcoded } from '../support/jp2/coefficients.ts';
import { openjpegDecode } from '../support/jp2/openjpeg.ts';
import { inFolder } from '../support/system/in-folder.ts';
import { type LargeImage, largeImages } from './images.ts';
import { clockMs, inTurns, median } from './measure.ts';
import { compileNative, nativeDecoder } from './others/native-decode.ts';
import type { Bench, Run } from './run.ts';

const WHOLE_REDUCTIONS = [3, 4, 5];
const WINDOW_REDUCTIONS = [0, 1, 2, 3];
const WINDOW_SIDE = 512;
const ROUNDS = 7;
/** Windows of each kind in a round; the first of a native process is not counted. */
const WINDOWS_PER_ROUND = { codestream: 3, sidecar: 15, native: 2 };
const MAKING_ROUNDS = 7;
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

/** Milliseconds of processor time of this thread for each of `count` calls. The kernel counts it in ticks of up to 4 ms. */
function cpuTime(work: () => unknown, count: number): number {
  const usage = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  const from = usage();
  for (let i = 0; i < count; i++) work();
  return (usage() - from) / count;
}

async function wholeImage({ add }: Run, { name, file }: LargeImage, sidecar: Uint8Array): Promise<void> {
  const { codestreamOffset, codestreamLength } = decodeSidecar(sidecar);
  const codestream = file.subarray(codestreamOffset, codestreamOffset + codestreamLength);
  for (const reduce of WHOLE_REDUCTIONS) {
    const ours = () => clockMs(() => decodeFrom(file, decodeSidecar(sidecar), reduce));
    const theirs = () => clockMs(() => openjpegDecode(codestream, reduce));
    const times = await inTurns({ ours, theirs }, ROUNDS, 3);
    add(`${name} whole r${reduce}`, 'time', 'ms', median(times.ours), median(times.theirs));
  }
}

/** Sides that are compared. */
const PAIRS = ['sidecar/codestream', 'sidecar/grok', 'sidecar/openjpeg', 'codestream/grok', 'codestream/openjpeg'];

async function windows({ add }: Run, { name, file }: LargeImage, sidecar: Uint8Array, program: string | null, directory: string) {
  const parts = transcoded(file, decodeSidecar(sidecar));
  if (!parts) throw new Error(`Expected an image that can have a coefficient sidecar, got ${name}.`);
  const native = program && nativeDecoder(program, directory, file);
  for (const reduce of WINDOW_REDUCTIONS) {
    for (const place of reduce === 3 ? (['centre'] as const) : (['centre', 'limb'] as const)) {
      const w = window(place, reduce);
      const label = `${name} ${place} ${WINDOW_SIDE} r${reduce}`;
      const ours = {
        codestream: () => decodeFrom(file, decodeSidecar(sidecar), reduce, w),
        sidecar: () => decodeFromParts(parts, reduce, w),
      };
      const theirs = (library: 'grok' | 'openjpeg') => () =>
        native ? native(library, reduce, w, WINDOWS_PER_ROUND.native + 1).slice(1) : [];
      const kinds: Readonly<Record<string, () => number[]>> = {
        codestream: () => [cpuTime(ours.codestream, WINDOWS_PER_ROUND.codestream)],
        sidecar: () => [cpuTime(ours.sidecar, WINDOWS_PER_ROUND.sidecar)],
        ...(native ? { grok: theirs('grok'), openjpeg: theirs('openjpeg') } : {}),
      };
      const times = await inTurns(kinds, ROUNDS);
      for (const pair of PAIRS) {
        const [value, against] = pair.split('/').map((kind) => times[kind] && median(times[kind].flat()));
        if (against !== undefined) add(label, pair, 'ms', value!, against);
      }
      for (const kind of ['sidecar', 'codestream'] as const) {
        resetPeakMemory();
        ours[kind]();
        add(`${label} from the ${kind}`, 'linear memory', 'MiB', peakMemoryBytes / 2 ** 20);
      }
    }
  }
}

/** Cost of part A at the ingest, and the bytes of all parts. */
function making({ add }: Run, { name, file }: LargeImage): void {
  const index = indexJp2(file);
  const { codestreamOffset, codestreamLength } = index;
  const codestream = file.subarray(codestreamOffset, codestreamOffset + codestreamLength);
  const parts = transcoded(file, index);
  if (!parts) throw new Error(`Expected an image that can have a coefficient sidecar, got ${name}.`);
  for (const part of ['A', 'B', 'C'] as const) {
    const ms = cpuTime(() => finished(transcodePart(index, codestream, part)), MAKING_ROUNDS);
    add(`${name} part ${part}`, 'making', 'ms', ms);
    add(`${name} part ${part}`, 'size', 'kB', parts[part].length / 1000);
  }
}

export const bench: Bench = (run) =>
  inFolder(async (directory) => {
    const program = compileNative(directory, run.log);
    for (const image of await largeImages(run.log)) {
      const sidecar = encodeSidecar(indexJp2(image.file));
      await wholeImage(run, image, sidecar);
      await windows(run, image, sidecar, program, directory);
      making(run, image);
    }
  });
