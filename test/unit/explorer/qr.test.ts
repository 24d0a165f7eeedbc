import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { qrCode } from '../../../src/explorer/saving/qr.ts';

const ADDRESS = 'https://sun.example/?date=2024-05-10T07:00:00Z&imageLayers=[10,1,100]';

// SHA-256 of the rows of uqr 0.1.3 (error correction M, mask 0, no border) of the versions 1, 5, 13, 26 and 40.
it.each([
  [1, 21, '1391567a70f543125a12de8a6e6c60d68a81102b5513c04b000a2c5b6c3a677d'],
  [69, 37, '9b5d6ba04f65df62b75ea100eb71cb0961fd5352ba7958473618f56a7478ab13'],
  [300, 69, '76d001927399701df2eeb264d6e45d0b40cb829ad0ffd4aa91734aab1c77ad26'],
  [1000, 121, 'f37e15f1bb9e00e20a9fd8f9e7b785a71fd243fedae70de568588f0b64b70672'],
  [2331, 177, 'c61149c760eb9caa3872ca52b65dec797e6731abbae6ecd694b5ed9b4c0d5fff'],
])('QR codes equal those of another encoder for a text of %i bytes', (length, side, hash) => {
  const rows = qrCode(ADDRESS.repeat(40).slice(0, length));
  expect(rows.map((row) => row.length)).toEqual(Array(side).fill(side));
  expect(
    createHash('sha256')
      .update(rows.map((row) => row.join('')).join('\n'))
      .digest('hex'),
  ).toBe(hash);
});

it('QR codes refuse what no version has room for', () => {
  expect(() => qrCode('x'.repeat(2332))).toThrow('A QR code has at most 2331 bytes.');
});
