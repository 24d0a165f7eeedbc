import { describe, expect, it } from 'vitest';
import { encodeColouredPng, encodeIndexedPng } from '../../../../src/imaging/encode/png.ts';
import { coloursOf } from '../../../../src/picture/operations/operations.ts';
import { type ColourRange, FULL_RANGE, withinRange } from '../../../../src/picture/operations/range.ts';
import { paletteOfPng, withPalette } from '../../../../src/web/explorer/model/png-palette.ts';
import { readPng } from '../../../support/imaging/read-png.ts';

const GREY = Uint8Array.from({ length: 768 }, (_, i) => Math.floor(i / 3));
const rangedPalette = (range: ColourRange, own: Uint8Array) => coloursOf({ range }, own)!;
const greys = (range: ColourRange) => rangedPalette(range, GREY).filter((_, i) => i % 3 === 0);

describe('a colour range', () => {
  it('spreads the colours over its levels, and continues with the ends', () => {
    const levels = greys({ low: 50, high: 150, gamma: 1 });
    expect([0, 50, 75, 100, 150, 255].map((level) => levels[level])).toEqual([0, 0, 64, 128, 255, 255]);
    expect(rangedPalette(FULL_RANGE, GREY)).toEqual(GREY);
  });

  it('brightens the middle by a gamma above 1, and keeps the ends', () => {
    const levels = greys({ low: 0, high: 255, gamma: 2 });
    expect([0, 64, 255].map((level) => levels[level])).toEqual([0, Math.round(255 * Math.sqrt(64 / 255)), 255]);
    expect(greys({ low: 0, high: 255, gamma: 0.5 })[128]).toBe(Math.round(128 ** 2 / 255));
  });

  it('blends linearly between neighbouring colours of a table', () => {
    const table = Uint8Array.from({ length: 768 }, (_, i) => (i % 3 === 0 ? (Math.floor(i / 3) % 2) * 200 : 7));
    expect(rangedPalette({ low: 0, high: 102, gamma: 1 }, table).slice(3, 6)).toEqual(Uint8Array.of(100, 7, 7));
  });

  it('keeps its ends from passing each other', () => {
    const range = { low: 20, high: 60, gamma: 1 };
    expect(withinRange(range, { low: 90 })).toEqual({ low: 59, high: 60, gamma: 1 });
    expect(withinRange(range, { high: 3 })).toEqual({ low: 20, high: 21, gamma: 1 });
    expect(withinRange(range, { gamma: 2 })).toEqual({ low: 20, high: 60, gamma: 2 });
  });
});

describe('the palette of an indexed PNG', () => {
  const size = { width: 16, height: 16 };
  const indexes = Uint8Array.from({ length: 256 }, (_, i) => i);
  const palette = Uint8Array.from({ length: 768 }, (_, i) => (i * 7) % 251);

  it('changes with the same pixels', () => {
    const file = encodeIndexedPng({ ...size, indexes, palette });
    expect(paletteOfPng(file)).toEqual(palette);
    const inverted = palette.map((value) => 255 - value);
    const read = readPng(withPalette(file, inverted));
    expect(read.indexes).toEqual(indexes);
    expect(read.rgba.filter((_, i) => i % 4 < 3)).toEqual(inverted);
    expect(paletteOfPng(file)).toEqual(palette);
  });

  it('keeps the transparency of a level, whose colour it takes from the neighbours', () => {
    const samples = indexes.map((level) => (level === 9 ? 8 : level));
    const covered = { x0: 0, y0: 0, x1: 16, y1: 15 };
    const file = encodeColouredPng({ ...size, samples, covered, palette: GREY, alpha: null });
    expect(paletteOfPng(file)).toEqual(GREY);
    const { rgba } = readPng(withPalette(file, rangedPalette({ low: 0, high: 100, gamma: 1 }, GREY)));
    expect([rgba[4 * 100], rgba[4 * 100 + 3], rgba[4 * 250 + 3]]).toEqual([255, 255, 0]);
  });

  it('does not exist in a PNG with colours and opacities', () => {
    const alpha = new Uint8Array(256).fill(100);
    const covered = { x0: 0, y0: 0, x1: 16, y1: 16 };
    expect(paletteOfPng(encodeColouredPng({ ...size, samples: indexes.slice(), covered, palette, alpha }))).toBeNull();
  });
});
