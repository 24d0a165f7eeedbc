import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyBrightness, brightnessOn, colourTable, paletteOf } from '../../../../src/picture/colour/palette.ts';
import { TABLES } from '../../../../src/picture/colour/tables.ts';
import { GREY_PALETTE } from '../../../../src/picture/colours.ts';
import { allSources, findSource } from '../../../../src/sun/catalogue/sources.ts';

const at = (iso: string) => Date.parse(iso);
const aia304Brightness = (atMs: number) => brightnessOn(findSource(13)!.brightness!, atMs);

it('the brightness of AIA 304 follows the loss of sensitivity between the first and the last knot', () => {
  expect(aia304Brightness(at('2010-05-01T00:00:00Z'))).toBe(0.9519);
  expect(Math.abs(aia304Brightness(at('2010-06-02T12:00:00Z')) - 0.951892100284562)).toBeLessThan(1e-4);
  expect(aia304Brightness(at('2014-12-27T23:59:59Z'))).toBe(1.1052);
  expect(aia304Brightness(at('2011-02-03T15:00:00Z'))).toBeCloseTo(0.9821 + ((0.9281 - 0.9821) * 8) / 17, 12);
  expect(aia304Brightness(at('2021-06-01T00:00:00Z'))).toBe(1.4049);
});

it('the brightness of AIA 304 interpolates days that the public table lacks, and changes daily, not within a day', () => {
  const values = Array.from({ length: 60 }, (_, i) => aia304Brightness(at('2010-06-01T00:00:00Z') + i * 86_400_000));
  expect(values.every((value) => value >= 0.9519 && value < 0.9821)).toBe(true);
  expect(aia304Brightness(at('2012-01-01T00:00:00Z'))).toBe(aia304Brightness(at('2012-01-01T23:59:59.999Z')));
  expect(aia304Brightness(at('2012-01-01T23:59:59.999Z'))).not.toBe(aia304Brightness(at('2012-01-02T00:00:00Z')));
});

const aia304 = colourTable('SDO_AIA_304');

it('a brightened colour table keeps black, brightens the middle, saturates at white, and darkens below 1', () => {
  const bright = applyBrightness(GREY_PALETTE, 1.2);
  expect([bright[0], bright[128 * 3], bright[255 * 3]]).toEqual([0, 164, 255]);
  expect(bright[220 * 3]).toBe(255);
  expect(applyBrightness(GREY_PALETTE, 0.95)[255 * 3], 'below 1').toBe(242);
});

const embedded = new Uint8Array(768).fill(7);

it.each<[string, number, string, Uint8Array | null, string | Uint8Array | null]>([
  ['AIA 171', 10, '2021-06-01T00:01:21Z', null, 'SDO_AIA_171'],
  ['AIA 171 with a palette', 10, '2021-06-01T00:01:21Z', embedded, 'SDO_AIA_171'],
  ['SUVI by the id of the public service', 2000, '2021-06-01T00:00:00Z', null, 'SUVI_94'],
  ['a group of XRT', 10001, '2021-06-01T00:00:00Z', null, 'Hinode_XRT'],
  ['early SWAP', 32, '2013-06-26T23:59:59Z', embedded, embedded],
  ['the last of early SWAP', 32, '2013-06-27T12:00:00Z', embedded, embedded],
  ['early SWAP without a palette', 32, '2013-06-27T12:00:00Z', null, 'PROBA2_SWAP_174'],
  ['later SWAP', 32, '2013-06-28T00:00:00Z', embedded, 'PROBA2_SWAP_174'],
  ...[6, 7, 18, 19, 94].map((id): [string, number, string, null, null] => [
    `${findSource(id)!.nickname}, which is grey`,
    id,
    '1970-01-01',
    null,
    null,
  ]),
])('the palette of an image of %s is that of its source, or its own', (_, sourceId, date, own, expected) => {
  expect(paletteOf(sourceId, at(date), own)).toBe(typeof expected === 'string' ? colourTable(expected) : expected);
});

it('the palette of an image brightens AIA 304 by date, and is that of LASCO C3 for CCOR', () => {
  expect(paletteOf(13, at('2021-06-01T00:00:00Z'), null)).toEqual(applyBrightness(aia304, 1.4049));
  expect(paletteOf(13, at('2010-06-02T00:00:00Z'), null)).not.toEqual(paletteOf(13, at('2021-06-01T00:00:00Z'), null));
  for (const ccor of [132, 133]) expect(paletteOf(ccor, 0, null)).toBe(paletteOf(5, 0, null));
});

/** Figures of the original service. */
const referenceFile = (name: string) => resolve(process.env.REFERENCE_DIR ?? '../shared/reference', name);
const brightnessFile = referenceFile('aia304-brightness.json');

it.skipIf(!existsSync(brightnessFile))('the public brightness curve (aia304-brightness.json) agrees at every knot', () => {
  const { knots } = JSON.parse(readFileSync(brightnessFile, 'utf8')) as { knots: [string, number][] };
  expect(knots.map(([day]) => [day, aia304Brightness(at(`${day}T06:00:00Z`))])).toEqual(knots);
});

/** Names of the colour tables that sources have. */
const SOURCE_TABLES = [...new Set(allSources.flatMap(({ colourTable: name }) => name ?? []))];

const rgb = (table: Uint8Array, sample: number) => [...table.subarray(sample * 3, sample * 3 + 3)];

it('colour tables exist for every source, have every grey, and reject unknown names', () => {
  expect(Array.from({ length: 256 }, (_, i) => rgb(GREY_PALETTE, i))).toEqual(Array.from({ length: 256 }, (_, i) => [i, i, i]));
  for (const name of SOURCE_TABLES) expect(colourTable(name)).toHaveLength(768);
  expect(() => colourTable('SDO_AIA_172')).toThrow('No colour table has the name SDO_AIA_172.');
  expect(() => colourTable('constructor')).toThrow(RangeError);
});

const tablesFile = referenceFile('color-tables.json');

describe.skipIf(!existsSync(tablesFile))('the public colour tables (color-tables.json)', () => {
  type Knots = [number, number][];
  interface Published {
    name: string;
    entries?: number;
    kind: 'points' | 'formula';
    definition: Record<'r' | 'g' | 'b', Knots | { expr: string; rounding: 'floor' | 'round' }>;
  }
  const published: Published[] = existsSync(tablesFile) ? JSON.parse(readFileSync(tablesFile, 'utf8')).tables : [];
  const tables = published.filter(({ name, entries }) => entries === 256 && SOURCE_TABLES.includes(name));

  function evaluate(channel: Published['definition']['r'], i: number): number {
    if (Array.isArray(channel)) {
      const at = channel.findIndex(([x], k) => i >= x && i <= (channel[k + 1]?.[0] ?? -1));
      const [[x0, y0], [x1, y1]] = [channel[at]!, channel[at + 1]!];
      return Math.floor(y0 + ((y1 - y0) * (i - x0)) / (x1 - x0) + 0.5);
    }
    const clamp = (x: number) => Math.min(255, Math.max(0, x));
    const formula = new Function('i', 'clamp', 'floor', 'sqrt', 'max', `return ${channel.expr};`);
    return clamp(Math[channel.rounding](formula(i, clamp, Math.floor, Math.sqrt, Math.max)));
  }

  it('include all tables of the sources, and no others', () => {
    expect(Object.keys(TABLES).sort()).toEqual(tables.map((table) => table.name).sort());
  });

  it.each(tables.map((table) => [table.name, table] as const))('%s agrees in all 256 colours', (name, { definition }) => {
    const expected = Array.from({ length: 256 }, (_, i) => (['r', 'g', 'b'] as const).map((c) => evaluate(definition[c], i)));
    expect(Array.from({ length: 256 }, (_, i) => rgb(colourTable(name), i))).toEqual(expected);
  });
});
