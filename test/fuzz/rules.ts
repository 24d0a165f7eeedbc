// Invariants for any input: errors are Jp2Errors, the core does not trap, memory stays below its limit, and a valid image
// still decodes correctly afterwards.
import { createHash } from 'node:crypto';
import { encodeSamples } from '../../demo/jp2/openjpeg.ts';
import { peakMemoryBytes } from '../../src/jp2/core/core.ts';
import { Jp2Error } from '../../src/jp2/errors.ts';
import { indexJp2, type Jp2Index } from '../../src/jp2/sidecar.ts';
import { planWindow, windowRanges } from '../../src/jp2/window.ts';
import { decodeFrom } from '../support/imaging/decode.ts';
import { makeRaster } from '../support/imaging/rasters.ts';

const MEMORY_LIMIT_BYTES = 64 << 20;

/**
 * Runs `job`; null if it throws a Jp2Error.
 * @throws any other error, also a Jp2Error that stands for a trap or is not a sentence
 */
export function rejectable<T>(job: () => T): T | null {
  try {
    return job();
  } catch (error) {
    if (!(error instanceof Jp2Error)) throw error;
    if (error.message.includes('decoder trap')) throw new Error(`trap: ${error.stack}`);
    if (!/^[A-Z].*\.$/s.test(error.message)) throw new Error(`Expected a sentence, got ${error.message}`);
    return null;
  }
}

const fewestLevels = (index: Jp2Index): number =>
  index.tiles.reduce((fewest, { parameters }) => Math.min(fewest, ...parameters.coding.map(({ levels }) => levels)), 32);

/**
 * Decodes random windows.
 * @throws Error if a byte range lies outside the codestream
 */
export function decodeRandomWindows(file: Uint8Array, index: Jp2Index, random: () => number, count = 2): void {
  const below = (n: number): number => Math.floor(random() * n);
  const { x0, y0, x1, y1 } = index.size;
  for (let i = 0; i < count; i++) {
    const reduce = below(fewestLevels(index) + 1);
    const [left, top] = [x0 + below(x1 - x0), y0 + below(y1 - y0)];
    const side = 2 ** Math.min(14, reduce + below(9));
    const window = { x0: left, y0: top, x1: left + 1 + below(side), y1: top + 1 + below(side) };
    rejectable(() => {
      for (const { offset, length } of windowRanges(planWindow(index, { reduce, window })))
        if (offset < 0 || offset + length > index.codestreamLength)
          throw new Error(`Expected a range inside the codestream, got ${offset}+${length}.`);
      return decodeFrom(file, index, reduce, window);
    });
  }
}

/** Check to run after every case: a valid image still decodes to the same samples, and memory stays below its limit. */
export function validImageCheck(): () => void {
  const streams = [true, false].map((lossless) => encodeSamples(makeRaster({ width: 70, height: 50 }), { lossless, levels: 3 }));
  const indexes = streams.map((file) => indexJp2(file));
  const digest = (): string => {
    const hash = createHash('sha256');
    streams.forEach((stream, i) => {
      for (const { samples } of decodeFrom(stream, indexes[i] as Jp2Index, 0, { x0: 5, y0: 9, x1: 66, y1: 44 }))
        hash.update(samples);
    });
    return hash.digest('hex');
  };
  const first = digest();
  return () => {
    if (digest() !== first) throw new Error('Expected the same samples of a valid image as before, got others.');
    if (peakMemoryBytes > MEMORY_LIMIT_BYTES) throw new Error(`Expected at most 64 MiB, got ${peakMemoryBytes} bytes.`);
  };
}
