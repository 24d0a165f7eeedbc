import { expect, it } from 'vitest';
import { jpeg } from '../../../../src/picture/encode/jpeg.ts';
import { indexedPng, rgbPng } from '../../../../src/picture/encode/png.ts';
import { webp } from '../../../../src/picture/encode/webp.ts';

it('a picture written in strips refuses more rows than it has', async () => {
  const encoder = indexedPng(4, 3, null);
  await encoder.write(new Uint8Array(8), 2);
  await expect(encoder.write(new Uint8Array(8), 2)).rejects.toThrow('A strip of 2 rows does not fit: 1 rows are left.');
});

it('a picture written in strips refuses a strip of no rows or of a fraction of a row', async () => {
  for (const rows of [0, -1, 0.5, Number.NaN]) {
    await expect(indexedPng(4, 3, null).write(new Uint8Array(0), rows)).rejects.toThrow(`A strip of ${rows} rows does not fit`);
  }
});

it('a picture written in strips refuses a strip whose byte count does not match its rows', async () => {
  await expect(rgbPng(4, 3).write(new Uint8Array(8), 2)).rejects.toThrow('2 rows have 24 bytes, not 8.');
});

it('a picture written in strips cannot end before its last row, nor twice', async () => {
  const encoder = indexedPng(4, 3, null);
  await encoder.write(new Uint8Array(8), 2);
  await expect(encoder.finish()).rejects.toThrow('Only 2 of 3 rows were written before the end.');
  await encoder.write(new Uint8Array(4), 1);
  await encoder.finish();
  await expect(encoder.finish()).rejects.toThrow('The picture was ended before.');
});

it('a picture written in strips refuses sides that are not whole positive numbers', () => {
  for (const side of [0, -5, 1.5, 2 ** 31, Number.NaN]) {
    expect(() => indexedPng(side, 3, null)).toThrow(`Expected a whole number from 1 to 2147483647 for width, got ${side}.`);
  }
});

it('a picture written in strips refuses sides that its format cannot express', () => {
  expect(() => webp(16384, 1, null)).toThrow('Expected a whole number from 1 to 16383 for width, got 16384.');
  expect(() => jpeg(1, 65501)).toThrow('Expected a whole number from 1 to 65500 for height, got 65501.');
});
