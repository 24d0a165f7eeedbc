import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../../src/archive/drawing/formats/formats.ts';
import { encodeTile } from '../../../src/archive/drawing/tile.ts';
import { readPng } from '../../support/imaging/read-png.ts';

const RAMP = Uint8Array.from({ length: 768 }, (_, i) => (i * 5) % 256);
const encoded = (
  samples: Uint8Array,
  width: number,
  height: number,
  palette: Uint8Array | null,
  covered = { x0: 0, y0: 0, x1: width, y1: height },
) => encodeTile(FORMATS.png, { width, height, samples, covered, palette, alpha: null });

describe('PNG of grey samples through a colour table', () => {
  it('stays indexed when part is transparent and an index is free', async () => {
    const { colourType, rgba } = readPng(await encoded(new Uint8Array(16).fill(9), 4, 4, RAMP, { x0: 1, y0: 2, x1: 3, y1: 4 }));
    expect(colourType).toBe(3);
    const alpha = rgba.filter((_, i) => i % 4 === 3);
    expect([...alpha]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 255, 255, 0]);
    expect([...rgba.subarray(0, 4)]).toEqual([0, 0, 0, 0]);
  });

  it('a coloured PNG becomes RGBA with unchanged colours when part is transparent, and takes few bytes when all is', async () => {
    const samples = Uint8Array.from({ length: 17 * 17 }, (_, i) => i % 256);
    const { colourType, rgba } = readPng(await encoded(samples.slice(), 17, 17, RAMP, { x0: 0, y0: 0, x1: 17, y1: 16 }));
    expect(colourType).toBe(6);
    expect([...rgba.subarray(200 * 4, 200 * 4 + 4)]).toEqual([...RAMP.subarray(600, 603), 255]);
    expect([...rgba.subarray(16 * 17 * 4, 16 * 17 * 4 + 4)]).toEqual([0, 0, 0, 0]);
    const png = await encoded(new Uint8Array(512 * 512), 512, 512, RAMP, { x0: 0, y0: 0, x1: 0, y1: 0 });
    expect(png.length).toBeLessThan(3000);
    expect(readPng(png).rgba.every((value) => value === 0)).toBe(true);
  });
});
