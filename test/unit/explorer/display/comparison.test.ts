import { expect, it } from 'vitest';
import { divide, subtract } from '../../../../src/imaging/resample.ts';
import { differenceLevel, ratioLevel } from '../../../../src/picture/operations/comparison.ts';

const BYTES = Array.from({ length: 256 }, (_, i) => i);

it.each([
  ['difference', subtract, differenceLevel],
  ['ratio', divide, ratioLevel],
])('shows the %s of every pair of levels as tiles do', (_, compare, level) => {
  for (const older of BYTES) {
    const newer = Uint8Array.from(BYTES);
    compare(newer, new Uint8Array(256).fill(older));
    expect([...newer]).toEqual(BYTES.map((byte) => level(byte, older)));
  }
});

it.each([
  [100, 100, 128],
  [50, 100, 0],
  [75, 100, 64],
  [110, 100, 154],
  [150, 100, 255],
  [0, 0, 128],
  [1, 0, 255],
  [0, 1, 0],
])('shows the ratio of %d to %d as %d', (newer, older, level) => expect(ratioLevel(newer, older)).toBe(level));
