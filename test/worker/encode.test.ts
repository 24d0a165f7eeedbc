import { describe, expect, it } from 'vitest';
import { rgbPng } from '../../src/imaging/encode/png.ts';
import { encodeInBands } from '../support/bands.ts';
import { readPng } from '../support/read-png.ts';

describe('encoders in workerd', () => {
  it('write a PNG in bands that comes back pixel for pixel', async () => {
    const [width, height] = [700, 300];
    const pixels = Uint8Array.from({ length: width * height * 3 }, (_, i) => Math.imul(i, 0x9e3779b1) >>> 24);
    const png = await encodeInBands(rgbPng(width, height), { width, height, bytesPerPixel: 3, pixels }, [64]);
    expect(Buffer.compare(readPng(png).samples, pixels)).toBe(0);
  });
});
