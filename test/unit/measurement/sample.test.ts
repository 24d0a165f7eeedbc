import { expect, it } from 'vitest';
import { renderSun } from '../../../demo/image-file.ts';
import { expose } from '../../../demo/instruments/instrument.ts';
import { findInstrument } from '../../../demo/instruments/instruments.ts';
import { countsOf } from '../../../demo/instruments/stated-law.ts';
import { indexJp2 } from '../../../src/jp2/sidecar.ts';
import { intervalOf } from '../../../src/sun/laws/law.ts';
import { measure } from '../../../src/sun/laws/value.ts';
import { decodeFrom } from '../../support/imaging/decode.ts';
import { judgeFile } from '../../support/jp2/file-law.ts';
import { sampleFile } from '../../support/sample-files.ts';
import { useSampleMaps } from '../../support/sample-maps.ts';

useSampleMaps();

const NOON = Date.UTC(2024, 4, 10, 12);
const AIA = [8, 9, 10, 11, 12, 13, 14, 15, 16, 17];
const SIZE = 512;

it.each([...AIA, 18, 19])(
  'a sample image of source %i states the law of its counts, and the intervals of its pixels hold them',
  async (sourceId) => {
    const shot = { sourceId, timeMs: NOON, size: SIZE };
    const jp2 = await sampleFile(shot);
    const { verdict } = await judgeFile(jp2);
    if ('refusal' in verdict) throw new Error(verdict.refusal.sentence);
    const { confirmed } = verdict;
    expect(confirmed.status).toBe('exact');
    const instrument = findInstrument(sourceId)!;
    const exposure = expose(instrument, shot);
    const { greys, samples } = renderSun(instrument.look, instrument.viewpoint, NOON, exposure.framing);
    const decoded = decodeFrom(jp2, indexJp2(jp2), 0)[0]!.samples;
    const ofByte = Array.from({ length: 256 }, (_, byte) => [intervalOf(confirmed.law, byte), measure(confirmed, byte)] as const);
    let [held, heldLossy, onLevel] = [0, 0, 0];
    for (const [i, grey] of greys.entries()) {
      const counts = countsOf(instrument.law!, grey);
      const isIn = ({ lower, upper }: { lower: number | null; upper: number | null }) =>
        (lower === null || counts >= lower - 1e-9 * Math.abs(lower)) &&
        (upper === null || counts <= upper + 1e-9 * Math.abs(upper));
      // The header rounds the least and the greatest counts, which close the intervals of the ends.
      const byte = samples[i]!;
      if (byte > 0 && byte < 255) {
        onLevel += 1;
        if (isIn(ofByte[byte]![0])) held += 1;
        if (isIn(ofByte[decoded[i]!]![1]!)) heldLossy += 1;
      }
    }
    expect(onLevel).toBeGreaterThan(SIZE * SIZE * 0.3);
    expect(held).toBe(onLevel);
    expect(heldLossy / onLevel).toBeGreaterThanOrEqual(0.95);
  },
);

it('a sample image of another instrument has no law', async () => {
  const { verdict } = await judgeFile(await sampleFile({ sourceId: 4, timeMs: NOON, size: SIZE }));
  expect(verdict).toMatchObject({ refusal: { reason: 'unknown-recipe' } });
});
