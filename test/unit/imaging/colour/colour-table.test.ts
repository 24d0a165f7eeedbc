import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { colourTable, paletteOf } from '../../../../src/picture/colour/palette.ts';
import { TABLES } from '../../../../src/picture/colour/tables.ts';
import { GREY_PALETTE } from '../../../../src/picture/colours.ts';
import { allSources } from '../../../../src/sun/catalogue/sources.ts';

/** Names of the colour tables that sources have. */
const SOURCE_TABLES = [...new Set(allSources.flatMap(({ colourTable: name }) => name ?? []))];

const rgb = (table: Uint8Array, sample: number) => [...table.subarray(sample * 3, sample * 3 + 3)];

it.each([
  ['SDO_AIA_171', '0,0,0 92,64,0 185,128,0 255,200,39 255,255,255'],
  ['SDO_AIA_304', '0,0,0 92,0,0 185,15,0 255,151,39 255,255,255'],
  ['SDO_AIA_193', '0,0,0 126,63,15 178,127,64 224,200,155 255,255,254'],
  ['SOHO_EIT_284', '0,0,0 20,16,0 122,99,0 237,191,0 255,255,255'],
  ['Blue_White_Linear', '0,0,0 0,0,87 0,53,173 32,167,253 255,255,255'],
  ['SJI_1400', '0,0,0 109,16,1 161,64,36 214,156,136 255,255,254'],
  ['SJI_2796', '0,0,0 127,90,16 180,141,64 225,202,156 255,255,255'],
  ['TRACE_1600', '30,0,0 97,23,0 163,136,0 218,203,161 253,232,183'],
  ['kcor_colortable', '0,0,0 111,111,111 169,169,169 220,220,220 255,255,255'],
  ['EUI_1216', '0,0,0 92,0,23 185,15,92 255,151,200 255,255,255'],
  ['SDO_AIA_4500', '0,0,0 64,64,0 128,128,0 200,200,19 255,255,127'],
  ['PUNCH', '0,0,0 81,55,18 160,107,27 218,190,155 255,253,253'],
])('colour tables: %s has its colours at samples 0, 64, 128, 200 and 255', (name, colours) => {
  const table = colourTable(name);
  expect(table).toHaveLength(768);
  expect([0, 64, 128, 200, 255].map((sample) => rgb(table, sample).join()).join(' ')).toBe(colours);
});

it('colour tables finds a table for each source, and none for grey', () => {
  expect(paletteOf(10, 0, null)).toBe(colourTable('SDO_AIA_171'));
  expect(paletteOf(2000, 0, null)).toBe(colourTable('SUVI_94'));
  expect(paletteOf(10001, 0, null)).toBe(colourTable('Hinode_XRT'));
  expect(paletteOf(18, 0, null)).toBeNull();
  expect(Array.from({ length: 256 }, (_, i) => rgb(GREY_PALETTE, i))).toEqual(Array.from({ length: 256 }, (_, i) => [i, i, i]));
});

it('colour tables exist for every source', () => {
  for (const name of SOURCE_TABLES) expect(colourTable(name)).toHaveLength(768);
});

it('colour tables rejects unknown names of tables', () => {
  expect(() => colourTable('SDO_AIA_172')).toThrow('No colour table has the name SDO_AIA_172.');
  expect(() => colourTable('constructor')).toThrow(RangeError);
});

const referenceFile = resolve(process.env.REFERENCE_DIR ?? '../shared/reference', 'color-tables.json');

describe.skipIf(!existsSync(referenceFile))('the public colour tables (color-tables.json)', () => {
  type Knots = [number, number][];
  interface Published {
    name: string;
    entries?: number;
    kind: 'points' | 'formula';
    definition: Record<'r' | 'g' | 'b', Knots | { expr: string; rounding: 'floor' | 'round' }>;
  }
  const published: Published[] = existsSync(referenceFile) ? JSON.parse(readFileSync(referenceFile, 'utf8')).tables : [];
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
