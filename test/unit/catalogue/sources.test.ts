import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ringOf } from '../../../src/picture/raster/mask.ts';
import { areOfOneLine, fourLevelPath, pathOf } from '../../../src/sun/catalogue/datasource.ts';
import { allSources, findSource, memberSources, sourceByNames } from '../../../src/sun/catalogue/sources.ts';
import type { ImageGeometry } from '../../../src/sun/image.ts';

/** The groups of a source, ascending. */
const groupsOf = (id: number) => allSources.map(({ id: group }) => group).filter((group) => memberSources(group).includes(id));

it.each([
  ['193', '195', true],
  ['174', '171', true],
  ['94', '131', false],
  ['magnetogram', 'magnetogram', false],
  [undefined, undefined, false],
])('the catalogue takes wavelengths within 5 Å as one line: %s and %s', (a, b, areOne) => {
  expect(areOfOneLine(a, b)).toBe(areOne);
});

it('the catalogue ends the name of a source in its wavelength where another observatory has the same line', () => {
  const wavelength = ({ levels }: (typeof allSources)[number]) => levels.at(-1)?.name;
  for (const a of allSources)
    for (const b of allSources)
      if (a.levels[0]?.name !== b.levels[0]?.name && areOfOneLine(wavelength(a), wavelength(b)))
        expect([a.nickname, a.nickname.split(' ').at(-1)]).toEqual([a.nickname, wavelength(a)]);
});

it('the catalogue lists 152 datasources with unique ids, above 10000 for XRT groups alone, and aliases for SUVI', () => {
  expect(allSources).toHaveLength(152);
  expect(new Set(allSources.map((source) => source.id)).size).toBe(152);
  expect(allSources.filter((source) => source.id > 10000).map((source) => source.id)).toEqual(
    Array.from({ length: 13 }, (_, i) => 10001 + i),
  );
  expect([36, 37, 135, -1, 0.5, Number.NaN].map((id) => findSource(id))).toEqual(Array(6).fill(undefined));
  const suvi = [2000, 2001, 2002, 2003, 2004, 2005, 2006].map((id) => findSource(id)?.nickname);
  expect(suvi).toEqual([...[94, 131, 171, 195, 284, 304].map((line) => `SUVI ${line}`), undefined]);
});

it.each<[string[], number]>([
  [['sdo', 'aia', '171'], 10],
  [['Hinode', 'XRT', 'Any', 'Any'], 10001],
  [['Hinode', 'XRT', 'Open', 'Open'], 73],
])('sourceByNames resolves %j to source %i', (path, id) => {
  expect(sourceByNames(path)?.id).toBe(id);
});

it('sourceByNames resolves the four v1 names of every source, and no unknown names or another number of names', () => {
  for (const source of allSources) {
    const path = fourLevelPath(source);
    expect(path).toHaveLength(4);
    expect(sourceByNames(path.map((level) => level.name))?.id).toBe(source.id);
  }
  expect(sourceByNames(['SDO', 'AIA'])).toBeUndefined();
  expect(sourceByNames(['SDO', 'AIA', 'AIA', '172'])).toBeUndefined();
  expect(sourceByNames(['SDO', 'AIA', '171', 'x'])).toBeUndefined();
  expect(sourceByNames([])).toBeUndefined();
});

it('XRT groups list the pairs of their wheels as members, and a filter pair in its groups', () => {
  expect(memberSources(10001)).toEqual(Array.from({ length: 37 }, (_, i) => 38 + i));
  expect(memberSources(10006)).toEqual([42, 48, 54, 60, 66, 73]);
  expect(memberSources(10013)).toEqual([69, 70, 71, 72, 73, 74]);
  expect(memberSources(10)).toEqual([]);
  expect(groupsOf(38)).toEqual([10001, 10002, 10008]);
  expect(groupsOf(74)).toEqual([10001, 10007, 10013]);
  expect(groupsOf(68)).toEqual([10001]);
  expect([37, 75, 10, 10001].flatMap(groupsOf)).toEqual([]);
});

const referenceFile = resolve(process.env.REFERENCE_DIR ?? '../shared/reference', 'datasources.json');

describe.skipIf(!existsSync(referenceFile))('the public catalogue (datasources.json)', () => {
  interface Row {
    sourceId: number;
    groups?: Record<string, number>;
    group?: { members: number[] };
    [field: string]: unknown;
  }
  // NFC, because the public catalogue spells `Ångström` with U+212B.
  const rows: Row[] = existsSync(referenceFile) ? JSON.parse(readFileSync(referenceFile, 'utf8').normalize('NFC')).sources : [];
  const isSuvi = (row: Row) => row.sourceId >= 2000 && row.sourceId <= 2005;
  const isIris = (row: Row) => row.sourceId >= 88 && row.sourceId <= 93;
  const ownId = (row: Row) => row.sourceId + (isSuvi(row) ? 88 - 2000 : isIris(row) ? 2000 : 0);

  it('lists the source ids of the public catalogue', () => {
    expect(rows.map(ownId).sort((a, b) => a - b)).toEqual(allSources.map((source) => source.id));
  });

  it('agrees with the public catalogue in every field', () => {
    for (const row of rows) {
      const source = findSource(ownId(row))!;
      const isCcor = row.sourceId === 132 || row.sourceId === 133;
      const ours = {
        nickname: isSuvi(row) ? `GOES-R ${source.nickname}` : source.nickname,
        description: source.description,
        units: source.units,
        layeringOrder: source.layeringOrder,
        displayOrder: source.displayOrder,
        levels: source.levels.map(({ order, ...level }) => ({ uiOrder: order, ...level })),
        uiLabels: pathOf(source).map(({ label, name }) => ({ label, name })),
        colorTable: isCcor ? row.colorTable : source.colourTable,
        archiveNickname: source.archiveDirectory,
      };
      const theirs = Object.fromEntries(Object.keys(ours).map((field) => [field, row[field]]));
      expect(ours, `source ${row.sourceId}`).toEqual(theirs);
      if (row.groups) expect(groupsOf(source.id)).toEqual(Object.values(row.groups).filter((id) => id > 0));
      if (row.group) expect(memberSources(source.id)).toEqual(row.group.members);
    }
  });
});

/** A CCOR-1 image of 2048 x 1920 pixels of 19.3 arcseconds, with the Sun beside the centre. */
const CCOR_1 = { width: 2048, height: 1920, refPixelX: 1030.5, refPixelY: 950.5, rsunPixels: 959.6 / 19.3 } as ImageGeometry;

it('the mask of a datasource exists for coronagraphs with a known occulter, for CCOR-1 by the size of the Sun', () => {
  const mask = findSource(132)!.mask!;
  const { inner, outer } = ringOf(mask, CCOR_1);
  expect([inner.x, inner.y, Math.round(inner.radius), Math.round(outer.radius)]).toEqual([1030, 970, 184, 1094]);
  expect(mask.masksDownloads).toBe(false);
  const masked = allSources.filter(({ mask }) => mask !== null).map(({ id }) => id);
  expect(masked).toEqual([4, 5, 28, 29, 30, 31, 83, 132]);
  expect(allSources.filter(({ isBlackTransparent }) => isBlackTransparent).map(({ id }) => id)).toEqual([131, 134]);
});
