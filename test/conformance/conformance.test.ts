// Decodes the ISO/IEC 15444-4 streams and compares them with their references, within the standard's limits for class 1.
import { expect, it } from 'vitest';
import { indexJp2 } from '../../src/jp2/sidecar.ts';
import { decodeFrom } from '../support/imaging/decode.ts';
import { readPgx } from '../support/jp2/pgx.ts';
import { conformanceStreams, readConformanceFile } from '../support/real-files.ts';

interface Limits {
  readonly peak: readonly number[];
  readonly mse: readonly number[];
  readonly reduce: number;
}

function limitsOf(name: string): Limits {
  const { streams } = JSON.parse(new TextDecoder().decode(readConformanceFile('limits.json'))) as {
    streams: Record<string, Limits>;
  };
  return streams[name] as Limits;
}

function errors(ours: ArrayLike<number>, theirs: Int32Array): { peak: number; mse: number } {
  let peak = 0;
  let squares = 0;
  theirs.forEach((sample, i) => {
    const error = Math.abs(sample - (ours[i] as number));
    peak = Math.max(peak, error);
    squares += error * error;
  });
  return { peak, mse: squares / theirs.length };
}

if (conformanceStreams.length === 0) it.skip('conformance streams: SAMPLES_DIR has none', () => {});

it.for(conformanceStreams)('%s decodes within the limits of its compliance class', (file) => {
  const name = file.replace('.j2k', '');
  const limits = limitsOf(name);
  const bytes = readConformanceFile(file);
  const components = decodeFrom(bytes, indexJp2(bytes), limits.reduce);
  limits.peak.forEach((peak, c) => {
    const reference = readPgx(readConformanceFile(`c1${name}_${c}.pgx`));
    const ours = components[c] as (typeof components)[number];
    expect([ours.width, ours.height, ours.precision, ours.signed]).toEqual([
      reference.width,
      reference.height,
      reference.precision,
      reference.signed,
    ]);
    const found = errors(ours.samples, reference.samples);
    expect(found.peak).toBeLessThanOrEqual(peak);
    expect(found.mse).toBeLessThanOrEqual(limits.mse[c] as number);
  });
});
