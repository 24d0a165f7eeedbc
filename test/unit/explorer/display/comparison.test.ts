import { expect, it } from 'vitest';
import { differenceLevel } from '../../../../src/domain/explorer/display/comparison.ts';
import { subtract } from '../../../../src/imaging/resample.ts';

const BYTES = Array.from({ length: 256 }, (_, i) => i);

it('shows the difference of every pair of levels as tiles do', () => {
  for (const older of BYTES) {
    const newer = Uint8Array.from(BYTES);
    subtract(newer, new Uint8Array(256).fill(older));
    expect([...newer]).toEqual(BYTES.map((level) => differenceLevel(level, older)));
  }
});
