// World coordinates against figures that were computed from the papers on WCS outside of this project.

import { describe, expect, it } from 'vitest';
import { parseXmlHeader } from '../../../src/jp2/xml-header.ts';
import { isSynthetic } from '../../../src/sun/image.ts';
import { observationTime, parseHeaderDate } from '../../../src/sun/time.ts';
import { typedValues, wcsNotes, wcsOf } from '../../../src/sun/wcs.ts';
import { archiveFiles, archiveTitles, xmlOfSample } from '../../support/real-files.ts';
import { testArchive } from '../../support/test-archive.ts';

const BASE = {
  NAXIS1: '4096',
  NAXIS2: '4096',
  CRPIX1: '2048.5',
  CRPIX2: '2049',
  CDELT1: '0.6',
  CDELT2: '0.6',
  CRVAL1: '0',
  CRVAL2: '0',
};
const header = (keywords: Readonly<Record<string, string>> = {}) => new Map(Object.entries({ ...BASE, ...keywords }));

describe('the world coordinates of an image', () => {
  it('take the defaults of a map of SunPy', () => {
    expect(wcsOf(new Map(Object.entries({ NAXIS1: '100', NAXIS2: '50', CDELT1: '2' })))).toEqual({
      naxis: [100, 50],
      ctype: ['HPLN-TAN', 'HPLT-TAN'],
      cunit: ['arcsec', 'arcsec'],
      crpix: [50.5, 25.5],
      cdelt: [2, 2],
      crval: [0, 0],
      pc: [
        [1, 0],
        [0, 1],
      ],
      lonpole: 180,
      latpole: 0,
      dateObs: null,
      observer: null,
      rsunRef: 695_700_000,
    });
    expect(wcsOf(new Map([['NAXIS1', '100']]))).toBeNull();
  });

  it('express the rotation of CROTA2 as a matrix, with the ratio of the scales', () => {
    const { pc } = wcsOf(header({ CROTA2: '0.5' }))!;
    expect(pc.flat()).toEqual([
      expect.closeTo(0.9999619230641713, 14),
      expect.closeTo(-0.008726535498373935, 14),
      expect.closeTo(0.008726535498373935, 14),
      expect.closeTo(0.9999619230641713, 14),
    ]);
    const oblong = wcsOf(header({ CDELT1: '2', CDELT2: '1', CROTA2: '30' }))!;
    expect(oblong.pc.flat()).toEqual(
      [0.8660254037844387, -0.25, 1, 0.8660254037844387].map((value) => expect.closeTo(value, 14)),
    );
  });

  it('prefer PCi_j to CDi_j', () => {
    const both = { PC1_1: '0.5', PC1_2: '0.25', CD1_1: '0.3', CD1_2: '-0.06', CD2_1: '0.06', CD2_2: '0.3' };
    expect(wcsOf(header(both))!.pc).toEqual([
      [0.5, 0.25],
      [0, 1],
    ]);
    const { PC1_1: _a, PC1_2: _b, ...cd } = both;
    expect(wcsOf(header(cd))!.pc.flat()).toEqual([0.5, -0.1, 0.1, 0.5].map((value) => expect.closeTo(value, 14)));
  });

  it.each(['LASCO', 'EIT', 'MDI'])('do not turn images of %s, which the archive has turned to the north', (instrument) => {
    const rolled = { CROTA: '180.5', CROTA1: '180.5', CROTA2: '180.5', CRPIX1: '517.4', CRPIX2: '532.1' };
    const fits = header({ TELESCOP: 'SOHO', INSTRUME: instrument, ...rolled });
    expect(wcsOf(fits)).toMatchObject({
      crpix: [517.4, 532.1],
      pc: [
        [1, 0],
        [0, 1],
      ],
    });
    // The identified source counts where the header does not name it.
    const sourceId = { LASCO: 5, EIT: 0, MDI: 7 }[instrument]!;
    expect(wcsOf(header(rolled), sourceId)!.pc).toEqual(wcsOf(fits)!.pc);
    expect(wcsOf(fits, 10)!.pc[0][0]).toBeCloseTo(-1, 3);
  });

  it.each([
    { TELESCOP: 'STEREO', INSTRUME: 'SECCHI' },
    { TELESCOP: 'SDO', INSTRUME: 'AIA_3' },
    { TELESCOP: 'SOHO', INSTRUME: 'SUMER' },
  ])('turn images of $TELESCOP $INSTRUME by their headers', (keywords) => {
    expect(wcsOf(header({ ...keywords, CROTA2: '90' }))!.pc[1][0]).toBeCloseTo(1, 12);
  });

  const rolledBy = (degrees: number) => {
    const [sine, cosine] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)].map(String);
    return { PC1_1: cosine!, PC1_2: `-${sine}`, PC2_1: sine!, PC2_2: cosine! };
  };

  it.each([
    ['that agree', 'CROTA2', 12.05, true],
    ['that differ', 'CROTA2', 12.2, false],
    ['of which one is a turn more', 'CROTA', 372, true],
    ['of opposite sign', 'CROTA1', -12, false],
  ])('take a matrix and a CROTA, or none: those %s', (_, keyword, degrees, isPlaced) => {
    const fits = header({ ...rolledBy(12), [keyword]: String(degrees) });
    expect(wcsOf(fits) !== null).toBe(isPlaced);
    expect(wcsNotes(fits).join()).toMatch(isPlaced ? /^$/ : /^The matrix PCi_j or CDi_j and CROTA are [\d.]+ degrees apart/);
    // The pixels of SOHO are north up, whatever is stated.
    expect(wcsOf(fits, 0)!.pc.flat()).toEqual([1, 0, 0, 1]);
  });

  it.each([
    ['LASCO C3, quicklook', 5, { CROTA: '-7.42', CROTA2: '-7.42' }, 0, true],
    [
      'LASCO C3, quicklook made before the sign was corrected',
      5,
      { CROTA: '-7.42', HV_COMMENT: 'created at 2010-03-01' },
      0,
      false,
    ],
    ['LASCO C2 of the archive', 4, { CROTA1: '0.4', CROTA2: '0.4' }, 0.4, false],
    ['LASCO C2 of the archive, upside down', 4, { CROTA1: '179.6', CROTA2: '179.6' }, 0, false],
    ['EIT', 0, { SC_ROLL: '-4.79' }, 0, true],
    ['EIT, upside down', 0, { SC_ROLL: '180.' }, 0, false],
    ['MDI', 7, { P_ANGLE: '-180' }, 0, true],
    ['MDI, quicklook upside down', 7, { CROT: '180' }, 0, false],
    ['AIA', 10, { CROTA2: '1.5', INST_ROT: '3' }, 1.5, true],
    ['HMI, raw', 19, { CROTA2: '179.9' }, 179.9, true],
    ['XRT', 38, { CROTA1: '-0.3', CROTA2: '-0.3' }, -0.3, false],
    ['SXT', 33, { CROTA1: '0.79', CROTA2: '0.79' }, 0, false],
    ['EUI', 84, rolledBy(4.26), 4.26, true],
    ['CCOR', 132, { CROTA2: '180' }, 0, false],
  ])('roll the pixels of %s as the knowledge of its files says', (_, sourceId, keywords, degrees, isVerified) => {
    const fits = header(keywords);
    const { pc } = wcsOf(fits, sourceId)!;
    expect((Math.atan2(pc[1][0], pc[0][0]) * 180) / Math.PI).toBeCloseTo(degrees, 9);
    expect(wcsNotes(fits, sourceId).some((note) => note.startsWith('Roll not verified.'))).toBe(!isVerified);
  });

  it('read the old names of axes and units', () => {
    const old = header({ CTYPE1: 'SOLAR-X', CTYPE2: 'solar_y', CUNIT1: 'degree', CUNIT2: 'arcsecs' });
    expect(wcsOf(old)).toMatchObject({ ctype: ['HPLN-TAN', 'HPLT-TAN'], cunit: ['deg', 'arcsec'] });
    // RHESSI has the unit of the axes in place of their names.
    const rhessi = { CTYPE1: 'arcsec', CTYPE2: 'arcsec' };
    expect(wcsOf(header(rhessi))).toMatchObject({ ctype: ['HPLN-TAN', 'HPLT-TAN'], cunit: ['arcsec', 'arcsec'] });
  });

  it('place the observer by Stonyhurst coordinates, else by Carrington ones', () => {
    const earth = { DSUN_OBS: '1.5D11', CRLN_OBS: '123.5', CRLT_OBS: '-4.25' };
    expect(wcsOf(header(earth))!.observer).toEqual({
      frame: 'heliographic_carrington',
      longitude: 123.5,
      latitude: -4.25,
      distance: 1.5e11,
    });
    expect(wcsOf(header({ ...earth, HGLN_OBS: '-0.01', HGLT_OBS: '-4.2' }))!.observer).toMatchObject({
      frame: 'heliographic_stonyhurst',
      longitude: -0.01,
    });
    expect(wcsOf(header({ HGLN_OBS: '0', HGLT_OBS: '0' }))!.observer).toBeNull();
  });

  it.each([
    ['LASCO', { DATE_OBS: '2023/12/01', TIME_OBS: '00:06:07.373' }, '2023-12-01T00:06:07.373Z'],
    [
      'MDI',
      { 'DATE-OBS': '2005/01/11', 'TIME-OBS': '23:59:32.23', DATE_OBS: '2005-01-11T23:59:32.227Z' },
      '2005-01-11T23:59:32.227Z',
    ],
    ['AIA', { 'DATE-OBS': '2021-06-01T00:01:21.347', T_OBS: '2021-06-01T00:01:22.347' }, '2021-06-01T00:01:21.347'],
    ['a header with a day alone', { DATE_OBS: '2023/12/01' }, '2023/12/01'],
  ])('read the time of day of %s', (_name, keywords, time) => {
    expect(wcsOf(header(keywords))!.dateObs).toBe(time);
  });

  it('name no observer at a distance that is none, as in headers of HMI of 2010, and say so', () => {
    const position = { CRLN_OBS: '123.5', CRLT_OBS: '-4.25' };
    const note = (given: string) =>
      `DSUN_OBS is ${given} m, which is no distance to the Sun, so the position of the observer is unknown.`;
    for (const given of ['0.03', '0', '-1', '2.3E11']) {
      const fits = header({ ...position, DSUN_OBS: given });
      expect(wcsOf(fits)!.observer, given).toBeNull();
      expect(wcsNotes(fits)).toEqual([note(String(Number(given)))]);
    }
    expect(wcsNotes(header({ ...position, DSUN_OBS: '1.5E11' }))).toEqual([]);
    expect(wcsNotes(header(position))).toEqual([]);
  });
});

it.each([
  ['4096', 4096],
  ['-0.6', -0.6],
  ['1.5D11', 1.5e11],
  ['nan', null],
  ['-Infinity', null],
  ['2024-05-10T00:00:03', '2024-05-10T00:00:03'],
  ['SDO/AIA', 'SDO/AIA'],
  ['007', '007'],
  ['12345678901234567890', '12345678901234567890'],
])('typed values of a header turn %s into %j', (text, value) => {
  expect(typedValues(new Map([['A', text]]))).toEqual({ A: value });
});

it.skipIf(archiveFiles.length === 0).each(archiveTitles)('typed values of a header agree with the coordinates of %s', (name) => {
  const { fits } = parseXmlHeader(xmlOfSample(name))!;
  const values = typedValues(fits);
  const wcs = wcsOf(fits)!;
  expect(wcs.naxis).toEqual([values.NAXIS1, values.NAXIS2]);
  expect(wcs.crpix).toEqual([values.CRPIX1, values.CRPIX2]);
  expect(parseHeaderDate(wcs.dateObs!)).toBe(observationTime(fits));
  expect(wcsNotes(fits)).toEqual([]);
  const [[a, b], [c, d]] = wcs.pc;
  expect(a * d - b * c, 'a rotation has the determinant 1').toBeCloseTo(1, 3);
  const { TELESCOP, PC1_1, PC2_1 } = values;
  if (TELESCOP === 'SOHO') expect([a, c]).toEqual([1, 0]);
  else if (PC1_1 !== undefined) expect([a, c]).toEqual([PC1_1, PC2_1]);
});

it('getImageHeader returns the keywords of the image as JSON, to be cached for a year', async () => {
  const { get } = testArchive();
  const response = await get('/v2/getImageHeader/?id=26');
  expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
  expect(await response.json()).toEqual({
    id: 26,
    date: '2024-01-01T00:00:00.000Z',
    fits: { TELESCOP: 'SDO/AIA', NOTE: "it's", CDELT1: 0.6 },
    helioviewer: {},
    wcs: null,
    notes: [],
    warning: null,
  });
  expect((await get('/v2/getImageHeader/?id=27')).status).toBe(404);
});

it.each([
  ['helioedge sample (synthetic)', true],
  ['SDO/JSOC-SDP', false],
  ['synthetic aperture laboratory', false],
  ['', false],
])('the statement of a header: ORIGIN = %s: %s', (origin, states) => {
  expect(isSynthetic(new Map([['ORIGIN', origin]]))).toBe(states);
});
