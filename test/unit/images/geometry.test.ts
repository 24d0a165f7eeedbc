import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseXmlHeader } from '../../../src/jp2/xml-header.ts';
import { identifySource } from '../../../src/sun/catalogue/identify.ts';
import { findSource } from '../../../src/sun/catalogue/sources.ts';
import { ASTRONOMICAL_UNIT_M, GeometryError, imageGeometry } from '../../../src/sun/geometry.ts';
import { archiveFiles, archiveTitles, xmlOfSample } from '../../support/real-files.ts';

const AIA = {
  TELESCOP: 'SDO',
  INSTRUME: 'AIA_3',
  NAXIS1: '4096',
  NAXIS2: '4096',
  CDELT1: '0.6',
  CDELT2: '0.6',
  CUNIT1: 'arcsec',
  CRPIX1: '2048.5',
  CRPIX2: '2048.5',
  CRVAL1: '0.0',
  CRVAL2: '0.0',
  DSUN_OBS: '1.5e11',
  R_SUN: '1577.5',
};

/** Geometry of the AIA header with changed keywords; undefined removes a keyword. */
function geometryWith(changes: Record<string, string | undefined>, sourceId = 10) {
  const entries = Object.entries({ ...AIA, ...changes }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return imageGeometry(new Map(entries), findSource(sourceId)!);
}

it('imageGeometry normalises the scale to 1 au, and places the Sun where CRVAL is zero', () => {
  const geometry = geometryWith({});
  expect(geometry.scaleArcsecPerPixel).toBeCloseTo((0.6 * 1.5e11) / ASTRONOMICAL_UNIT_M, 12);
  expect(geometry.scaleCorrection).toBeCloseTo(ASTRONOMICAL_UNIT_M / 1.5e11, 12);
  expect(geometry).toMatchObject({ width: 4096, height: 4096, dsunMetres: 1.5e11, rsunPixels: 1577.5, rotationDegrees: 0 });
  const cutOut = geometryWith({ CRVAL1: '60', CRVAL2: '-30' });
  expect(cutOut).toMatchObject({ refPixelX: 2048.5 - 100, refPixelY: 2048.5 + 50, offsetX: 60, offsetY: -30 });
  expect(geometryWith({ CRVAL1: '60', CRVAL2: undefined })).toMatchObject({ refPixelX: 2048.5, offsetX: 0, offsetY: 0 });
});

it.each([
  ['deg', 0.01, 36],
  ['degrees', 0.01, 36],
  [' Deg ', 0.01, 36],
  ['arcmin', 0.01, 0.6],
  ['radian', Math.PI / 18_000, 36],
])('imageGeometry converts a plate scale in "%s" to arcseconds', (CUNIT1, scale, arcsec) => {
  const [CDELT1, CUNIT2] = [String(scale), CUNIT1];
  const geometry = geometryWith({ CUNIT1, CUNIT2, CDELT1, CDELT2: CDELT1, DSUN_OBS: undefined, R_SUN: undefined });
  expect(geometry.scaleArcsecPerPixel).toBeCloseTo(arcsec, 12);
  expect(geometry.rsunPixels).toBeCloseTo(959.644 / arcsec, 10);
});

it('imageGeometry derives the distance from the solar radius in pixels if no distance is given', () => {
  const at = (changes: Record<string, string | undefined>) => geometryWith({ DSUN_OBS: undefined, ...changes }).dsunMetres;
  expect(at({ SOLAR_R: '1600' })).toBeCloseTo((959.644 / (1600 * 0.6)) * ASTRONOMICAL_UNIT_M, 0);
  expect(at({ RADIUS: '1650' })).toBeCloseTo((959.644 / (1650 * 0.6)) * ASTRONOMICAL_UNIT_M, 0);
  expect(at({ DSUN: '1.49e11', SOLAR_R: '1' })).toBe(1.49e11);
  expect(at({})).toBe(ASTRONOMICAL_UNIT_M);
});

it('imageGeometry uses 1 au for too small distances, and has the solar radius from R_SUN, RSUN_ARC or the distance', () => {
  for (const DSUN_OBS of ['0.03', '-1', '0', 'nan']) expect(geometryWith({ DSUN_OBS }).dsunMetres).toBe(ASTRONOMICAL_UNIT_M);
  expect(geometryWith({ RSUN_ARC: '960' }).rsunPixels).toBe(1577.5);
  expect(geometryWith({ R_SUN: undefined, RSUN_ARC: '960' }).rsunPixels).toBe(1600);
  expect(geometryWith({ R_SUN: 'nan' }).rsunPixels).toBeCloseTo((959.644 / 0.6) * (ASTRONOMICAL_UNIT_M / 1.5e11), 9);
});

it.each(['-0.6', '0', 'nan', '1e-5', '6e5'])('imageGeometry refuses CDELT2 %s beside CDELT1 0.6', (CDELT2) => {
  expect(() => geometryWith({ CDELT1: '0.6', CDELT2 })).toThrow(/CDELT2/);
});

it.each([
  ['0.6', '1.2', [4096, 8192], [2048.5 + 100, 4096.5 + 100]],
  ['1.2', '0.6', [8192, 4096], [4096.5 + 100, 2048.5 + 100]],
  ['0.6', '0.605', [4096, 4096], [2048.5 + 100, 2048.5 + 60 / 0.605]],
])('imageGeometry counts square pixels of the shorter side for CDELT %s, %s', (CDELT1, CDELT2, size, sun) => {
  const changes = { CDELT1, CDELT2, CRVAL1: '-60', CRVAL2: '-60', R_SUN: undefined, PC1_1: '0.9', PC1_2: '-0.4' };
  const geometry = geometryWith(changes);
  expect([geometry.width, geometry.height]).toEqual(size);
  expect([geometry.refPixelX, geometry.refPixelY]).toEqual(sun.map((pixel) => expect.closeTo(pixel, 6)));
  expect(geometry.scaleArcsecPerPixel * geometry.scaleCorrection).toBeCloseTo(0.6, 12);
  const whole = geometryWith({ ...changes, CDELT1: '0.6', CDELT2: '0.6' });
  expect(geometry.rsunPixels).toBeCloseTo(whole.rsunPixels, 9);
  expect(geometry.dsunMetres).toBe(whole.dsunMetres);
  expect(geometryWith({ ...changes, RADIUS: '1600', DSUN_OBS: undefined }).dsunMetres).toBeCloseTo(
    (959.644 / (1600 * Number(CDELT1))) * ASTRONOMICAL_UNIT_M,
    0,
  );
});

it('imageGeometry reads the unit of each axis, and the first scale for an axis without one', () => {
  const degrees = { CDELT1: '0.001', CUNIT1: 'deg', R_SUN: undefined };
  expect(geometryWith({ ...degrees, CDELT2: '3.6', CUNIT2: 'arcsec' })).toMatchObject({ width: 4096, height: 4096 });
  expect(geometryWith({ ...degrees, CDELT2: '0.001' })).toMatchObject({ width: 4096, height: 4096 });
  expect(geometryWith({ ...degrees, CDELT2: undefined, CRVAL2: '0.1' })).toMatchObject({ refPixelY: 2048.5 - 100 });
});

it('imageGeometry layers coronagraphs above the disk, and reports the pointing of XRT as written in the header', () => {
  const order = (sourceId: number, rest = {}) =>
    geometryWith({ TELESCOP: undefined, INSTRUME: undefined, ...rest }, sourceId).layeringOrder;
  const [EIT, MDI, C2, C3, EUVI_A, COR1_B, COR2_A, XRT, SWAP] = [0, 7, 4, 5, 20, 30, 29, 38, 32] as const;
  expect([EIT, MDI, C2, C3, EUVI_A, COR1_B, COR2_A, SWAP].map((id) => order(id))).toEqual([1, 1, 2, 3, 2, 2, 3, 1]);
  expect(order(XRT, { CDELT1: '0.49', CDELT2: '0.49' })).toBe(2);
  expect(order(XRT, { CDELT1: '0.49', CDELT2: '0.49', NAXIS2: '4200' })).toBe(1);
  const pointing = { XCEN: '-1.50', YCEN: '2.0', CDELT1: '1.0286', CDELT2: '1.0286' };
  expect(geometryWith(pointing, 38).sunCenterOffsetParams).toEqual(pointing);
  expect(geometryWith(pointing).sunCenterOffsetParams).toEqual([]);
  expect(geometryWith({ ...pointing, XCEN: 'west' }, 38).sunCenterOffsetParams).toEqual([]);
});

it.each([
  ['-7.42291', -7.42291],
  ['nan', 0],
  ['', 0],
  [undefined, 0],
])('imageGeometry reports the rotation of CROTA %s', (CROTA, degrees) => {
  expect(geometryWith({ CROTA }).rotationDegrees).toBe(degrees);
});

type Refused = [keyword: string, value: string | undefined, others?: Record<string, string | undefined>, sourceId?: number];
it.each<Refused>([
  ['NAXIS1', '0'],
  ['NAXIS2', undefined],
  ['NAXIS1', '100001'],
  ['NAXIS2', '-4096'],
  ['CDELT1', '0'],
  ['CDELT1', '-0.6'],
  ['CDELT1', 'nan'],
  ['CDELT1', '1e5'],
  ['CDELT1', '0x10'],
  ['CDELT1', undefined],
  ['CDELT2', '0', { CRVAL1: '1', CRVAL2: '1' }],
  ['CRPIX1', 'Infinity'],
  ['CRPIX2', undefined],
  ['CRVAL1', 'nan'],
  ['CROTA', '1e308'],
  ['CROTA', '-361'],
  ['CROTA', 'north'],
  ['CRPIX1', '-1e8'],
  ['DSUN_OBS', '2.25e11'],
  ['R_SUN', '0.001'],
  ['RSUN_ARC', '99'],
  ['RSUN_ARC', '30001'],
  ['HGLT_OBS', '-90.5'],
  ['CRLT_OBS', '1e400'],
  ['SOLAR_B0', '91'],
  ['HGLN_OBS', '361'],
  ...['0.0', '-3', '1e308', '1e400'].map((value): Refused => ['SOLAR_R', value, { DSUN_OBS: undefined }]),
  ...['XCEN', 'YCEN'].map((name): Refused => [name, '1e308', { XCEN: '0', YCEN: '0' }, 38]),
  // Infinite.
  ...['NAXIS1', 'CDELT1', 'CDELT2', 'CRPIX1', 'CRVAL2'].map((name): Refused => [name, '1e400']),
])('imageGeometry refuses an invalid header and names the keyword: %s = %s', (keyword, value, others = {}, sourceId = 10) => {
  const got = value?.replaceAll('.', '\\.') ?? 'nothing';
  const read = () => geometryWith({ ...others, [keyword]: value }, sourceId);
  expect(read).toThrow(GeometryError);
  const radius = keyword === 'SOLAR_R' ? 'a radius from 0\\.01 to 10000000 pixels' : '.+';
  expect(read).toThrow(new RegExp(`^Expected ${radius} for ${keyword}, got ${got}\\.$`));
});

it('imageGeometry returns finite numbers or refuses the header', () => {
  const text = fc.oneof(
    fc.double().map(String),
    fc.constantFrom('nan', '', '1e-320', '1D3', '0', '-0', '1e400', 'deg', 'SOHO', 'HINODE', 'STEREO'),
  );
  const keywords = [...Object.keys(AIA), 'SOLAR_R', 'RADIUS', 'DSUN', 'RSUN_ARC', 'CROTA', 'DETECTOR', 'HGLT_OBS'];
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...keywords), text), (changes) => {
      try {
        const { sunCenterOffsetParams, ...numbers } = geometryWith(changes);
        for (const [name, value] of Object.entries(numbers)) expect([name, Number.isFinite(value)]).toEqual([name, true]);
        expect(numbers.scaleArcsecPerPixel).toBeGreaterThan(0);
        expect(numbers.rsunPixels).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toBeInstanceOf(GeometryError);
      }
    }),
    { numRuns: 2000 },
  );
});

const referenceFile = resolve(process.env.REFERENCE_DIR ?? '../shared/reference', 'geometry-examples.json');

describe.skipIf(!existsSync(referenceFile) || !archiveFiles.length)('the geometry of real files (geometry-examples.json)', () => {
  const examples = existsSync(referenceFile) ? JSON.parse(readFileSync(referenceFile, 'utf8')) : {};

  it.each(archiveTitles)('%s', (name) => {
    const header = parseXmlHeader(xmlOfSample(name))!;
    const { sourceId } = identifySource(header, name) as { sourceId: number };
    const geometry = imageGeometry(header.fits, findSource(sourceId)!);
    const { sunCenterOffsetParams, ...expected } = examples[name];
    const ours: Record<string, number> = {
      scale: geometry.scaleArcsecPerPixel,
      scaleCorrection: geometry.scaleCorrection,
      width: geometry.width,
      height: geometry.height,
      refPixelX: geometry.refPixelX,
      refPixelY: geometry.refPixelY,
      offsetX: geometry.offsetX,
      offsetY: geometry.offsetY,
      rotation: geometry.rotationDegrees,
      rsun: geometry.rsunPixels,
      dsun: geometry.dsunMetres,
      layeringOrder: geometry.layeringOrder,
    };
    expect(Object.keys(ours).sort()).toEqual(Object.keys(expected).sort());
    for (const [figure, value] of Object.entries(ours)) {
      expect(Math.abs(value - expected[figure]), figure).toBeLessThanOrEqual(1e-9 * Math.abs(expected[figure]));
    }
    expect(geometry.sunCenterOffsetParams).toEqual(sunCenterOffsetParams);
  });
});
