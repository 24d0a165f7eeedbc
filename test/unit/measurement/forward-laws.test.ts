import { describe, expect, it } from 'vitest';
import { type CodingStyle, encodeGrey, wrapJp2 } from '../../../demo/jp2/encode.ts';
import { encodeSamples } from '../../../demo/jp2/openjpeg.ts';
import { indexJp2 } from '../../../src/jp2/sidecar.ts';
import { type Interval, intervalOf } from '../../../src/sun/laws/law.ts';
import { measure } from '../../../src/sun/laws/value.ts';
import { decodeFrom } from '../../support/imaging/decode.ts';
import { judgeFile } from '../../support/jp2/file-law.ts';
import { runPython } from '../../support/measurement/python.ts';
import { hasModules } from '../../support/programs.ts';

/** Bits a pixel of the lossy files of the archive, as a compression ratio. */
const HALF_A_BIT = 16;

/** An image of `forward_laws.py`, which writes bytes of known counts in numpy. */
interface KnownImage {
  readonly name: string;
  readonly law: string;
  readonly status: string;
  readonly header: string;
  readonly width: number;
  readonly height: number;
  readonly counts: string;
  readonly bytes: string;
}

const hasPython = hasModules('numpy');
/** Images of independent pixels, or with `smooth` of neighbours with similar counts. */
const knownImages = (...parameters: readonly string[]): readonly KnownImage[] =>
  hasPython
    ? runPython('forward_laws.py', '', parameters)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as KnownImage)
    : [];
const images = knownImages();
const smoothImages = knownImages('smooth');
const float64 = (text: string) => {
  const bytes = Buffer.from(text, 'base64');
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
};

/** Whether an interval has a count, but for the rounding of the computation. */
function isWithin(count: number, { lower, upper }: Interval): boolean {
  const slack = 1e-9 * Math.max(1e-6, Math.abs(count));
  return (lower === null || count >= lower - slack) && (upper === null || count <= upper + slack);
}

/** The bytes of an image, its counts, and the file that holds them, lossy in a style, with the law that the service confirms. */
async function confirmedFile({ header, width, height, bytes, counts }: KnownImage, style?: CodingStyle) {
  const samples = new Uint8Array(Buffer.from(bytes, 'base64'));
  const plane = { width, height, precision: 8, signed: false, components: [samples] };
  const codestream = style ? encodeGrey({ width, height, samples }, style) : encodeSamples(plane, { lossless: true });
  const jp2 = wrapJp2({ width, height, codestream, xml: header });
  const { verdict } = await judgeFile(jp2);
  if ('refusal' in verdict) throw new Error(verdict.refusal.sentence);
  return { samples, counts: float64(counts), jp2, confirmed: verdict.confirmed };
}

describe.skipIf(!hasPython)('counts that numpy (python3-numpy) writes by the recipe', () => {
  it('cover every recipe that the service knows', () => {
    expect([images.length, smoothImages.length]).toEqual([30, 30]);
  });

  it.each(images)(
    '$name lie in the intervals of all uncensored pixels, and beyond the ends of the censored ones',
    async (image) => {
      const { samples, counts, jp2, confirmed } = await confirmedFile(image);
      expect([confirmed.law.name, confirmed.status, confirmed.lossy]).toEqual([image.law, image.status, null]);
      const decoded = decodeFrom(jp2, indexJp2(jp2), 0)[0]!.samples;
      expect(Buffer.from(decoded as Uint8Array).equals(Buffer.from(samples))).toBe(true);
      const [outside, seen] = [[] as unknown[], { uncensored: 0, below: 0, above: 0 }];
      for (const [i, count] of counts.entries()) {
        if (Number.isNaN(count)) continue;
        const measured = measure(confirmed, decoded[i]!);
        if (!measured) {
          outside.push({ byte: decoded[i], count });
          continue;
        }
        seen[measured.censored ?? 'uncensored'] += 1;
        if (!isWithin(count, measured)) outside.push({ ...measured, count });
      }
      expect(outside.slice(0, 3)).toEqual([]);
      expect(seen.uncensored).toBeGreaterThan(1500);
      if (confirmed.law.belowByte !== null) expect(seen.below, 'censored below').toBeGreaterThan(0);
      if (confirmed.law.aboveByte !== null) expect(seen.above, 'censored above').toBeGreaterThan(0);
    },
  );

  it.each(smoothImages)('$name lie in the intervals of 95 % of the uncensored pixels of a lossy file', async (image) => {
    const style = { levels: 8, layerRatios: [HALF_A_BIT], packetLengths: true };
    const { counts, jp2, confirmed } = await confirmedFile(image, style);
    expect([confirmed.law.name, confirmed.lossy === null]).toEqual([image.law, false]);
    const decoded = decodeFrom(jp2, indexJp2(jp2), 0)[0]!.samples;
    const seen = { uncensored: 0, held: 0, onLevel: 0 };
    for (const [i, count] of counts.entries()) {
      const measured = Number.isNaN(count) ? null : measure(confirmed, decoded[i]!);
      if (!measured || measured.censored) continue;
      seen.uncensored += 1;
      if (isWithin(count, measured)) seen.held += 1;
      if (isWithin(count, intervalOf(confirmed.law, decoded[i]!))) seen.onLevel += 1;
    }
    expect(seen.uncensored).toBeGreaterThan(counts.length * 0.4);
    expect(seen.held / seen.uncensored).toBeGreaterThanOrEqual(0.95);
    // The file is lossy: the levels alone do not hold the counts.
    expect(seen.onLevel / seen.uncensored).toBeLessThan(0.8);
  });

  it.each(images.filter(({ name }) => name.startsWith('AIA v5')))(
    '$name are so narrow that a level of another byte does not hold them',
    async (image) => {
      const { samples, counts, confirmed } = await confirmedFile(image);
      const wrong = [...counts].filter((count, i) => {
        const byte = samples[i]!;
        if (byte < 1 || byte > 253) return false;
        const { lower, upper } = measure(confirmed, byte + 1)!;
        return count >= lower! && count < upper!;
      });
      expect(wrong).toEqual([]);
    },
  );
});
