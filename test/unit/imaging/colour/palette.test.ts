import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyBrightness, brightnessOn, colourTable, paletteOf } from '../../../../src/picture/colour/palette.ts';
import { GREY_PALETTE } from '../../../../src/picture/colours.ts';
import { findSource } from '../../../../src/sun/catalogue/sources.ts';

const at = (iso: string) => Date.parse(iso);
const aia304Brightness = (atMs: number) => brightnessOn(findSource(13)!.brightness!, atMs);

it('the brightness of AIA 304 follows the loss of sensitivity between the first and the last knot', () => {
  expect(aia304Brightness(at('2010-05-01T00:00:00Z'))).toBe(0.9519);
  expect(Math.abs(aia304Brightness(at('2010-06-02T12:00:00Z')) - 0.951892100284562)).toBeLessThan(1e-4);
  expect(aia304Brightness(at('2014-12-27T23:59:59Z'))).toBe(1.1052);
  expect(aia304Brightness(at('2011-02-03T15:00:00Z'))).toBeCloseTo(0.9821 + ((0.9281 - 0.9821) * 8) / 17, 12);
  expect(aia304Brightness(at('2021-06-01T00:00:00Z'))).toBe(1.4049);
});

it('the brightness of AIA 304 interpolates the days of 2010 that the public table lacks', () => {
  const values = Array.from({ length: 60 }, (_, i) => aia304Brightness(at('2010-06-01T00:00:00Z') + i * 86_400_000));
  expect(values.every((value) => value >= 0.9519 && value < 0.9821)).toBe(true);
});

it('the brightness of AIA 304 changes from day to day but not within a day', () => {
  expect(aia304Brightness(at('2012-01-01T00:00:00Z'))).toBe(aia304Brightness(at('2012-01-01T23:59:59.999Z')));
  expect(aia304Brightness(at('2012-01-01T23:59:59.999Z'))).not.toBe(aia304Brightness(at('2012-01-02T00:00:00Z')));
});

const aia304 = colourTable('SDO_AIA_304');

it('a brightened colour table keeps a table at brightness 1', () => {
  expect(applyBrightness(GREY_PALETTE, 1)).toEqual(GREY_PALETTE);
  expect(applyBrightness(aia304, 1)).toEqual(aia304);
});

it('a brightened colour table keeps black, brightens the middle and saturates at white', () => {
  const bright = applyBrightness(GREY_PALETTE, 1.2);
  expect([bright[0], bright[128 * 3], bright[255 * 3]]).toEqual([0, 164, 255]);
  expect(bright[220 * 3]).toBe(255);
});

it('a brightened colour table darkens below 1', () => {
  const dark = applyBrightness(GREY_PALETTE, 0.95);
  expect(dark[255 * 3]).toBe(242);
});

it('a brightened colour table interpolates between the colours of neighbouring samples', () => {
  const stripes = Uint8Array.from({ length: 768 }, (_, i) => (Math.floor(i / 3) % 2) * 255);
  const values = new Set(applyBrightness(stripes, 1.1));
  expect(values.size).toBeGreaterThan(50);
});

const embedded = new Uint8Array(768).fill(7);

it('the palette of an image: paletteOf returns the colour table of the source', () => {
  expect(paletteOf(10, at('2021-06-01T00:01:21Z'), null)).toBe(colourTable('SDO_AIA_171'));
  expect(paletteOf(10, at('2021-06-01T00:01:21Z'), embedded)).toBe(colourTable('SDO_AIA_171'));
});

it('the palette of an image: paletteOf returns null for magnetograms, continuum and H-alpha, which are grey', () => {
  for (const id of [6, 7, 18, 19, 94]) expect(paletteOf(id, 0, null)).toBeNull();
});

it('the palette of an image: paletteOf returns the embedded palette of early SWAP files', () => {
  expect(paletteOf(32, at('2013-06-26T23:59:59Z'), embedded)).toBe(embedded);
  expect(paletteOf(32, at('2013-06-27T12:00:00Z'), embedded)).toBe(embedded);
  expect(paletteOf(32, at('2013-06-27T12:00:00Z'), null)).toBe(colourTable('PROBA2_SWAP_174'));
  expect(paletteOf(32, at('2013-06-28T00:00:00Z'), embedded)).toBe(colourTable('PROBA2_SWAP_174'));
});

it('the palette of an image: paletteOf brightens AIA 304 by date', () => {
  expect(paletteOf(13, at('2021-06-01T00:00:00Z'), null)).toEqual(applyBrightness(colourTable('SDO_AIA_304'), 1.4049));
  expect(paletteOf(13, at('2010-06-02T00:00:00Z'), null)).not.toEqual(paletteOf(13, at('2021-06-01T00:00:00Z'), null));
});

it('the palette of an image: paletteOf returns the table of LASCO C3 for CCOR', () => {
  expect(paletteOf(132, 0, null)).toBe(paletteOf(5, 0, null));
  expect(paletteOf(133, 0, null)).toBe(paletteOf(5, 0, null));
});

const referenceFile = resolve(process.env.REFERENCE_DIR ?? '../shared/reference', 'aia304-brightness.json');

describe.skipIf(!existsSync(referenceFile))('the public brightness curve (aia304-brightness.json)', () => {
  it('agrees at every knot', () => {
    const { knots } = JSON.parse(readFileSync(referenceFile, 'utf8')) as { knots: [string, number][] };
    expect(knots.map(([day]) => [day, aia304Brightness(at(`${day}T06:00:00Z`))])).toEqual(knots);
  });
});
