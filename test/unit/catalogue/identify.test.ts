import { describe, expect, it } from 'vitest';
import { parseXmlHeader } from '../../../src/jp2/xml-header.ts';
import { identifySource } from '../../../src/sun/catalogue/identify.ts';
import { findSource } from '../../../src/sun/catalogue/sources.ts';
import { archiveFiles, archiveTitles, xmlOfSample } from '../../support/real-files.ts';

type Keywords = Record<string, string>;

function identify(fits: Keywords, fileName = 'image.jp2', helioviewer: Keywords = {}) {
  return identifySource({ fits: new Map(Object.entries(fits)), helioviewer: new Map(Object.entries(helioviewer)) }, fileName);
}

const AIA = { TELESCOP: 'SDO', INSTRUME: 'AIA_3', WAVELNTH: '171', WAVE_STR: '171_THIN', IMG_TYPE: 'LIGHT', PERCENTD: '100.000' };
const HMI = { TELESCOP: 'SDO', INSTRUME: 'HMI_FRONT2', WAVELNTH: '6173.00' };
const SUVI = { TELESCOP: 'GOES-16', INSTRUME: 'GOES-R Series Solar Ultraviolet Imager' };
const RHESSI = { TELESCOP: 'RHESSI', INSTRUME: 'RHESSI', ENERGY_L: '12.000000', ENERGY_H: '25.000000' };
const METHOD = 'HV_RHESSI_IMAGE_RECONSTRUCTION_METHOD';

describe('identifySource by the header finds', () => {
  it.each<[string, Keywords]>([
    ['AIA 171', AIA],
    ['HMI Mag', { ...HMI, CONTENT: 'MAGNETOGRAM' }],
    ['HMI Int', { ...HMI, INSTRUME: 'HMI_SIDE1', CONTENT: 'CONTINUUM INTENSITY' }],
    ['EIT 195', { TELESCOP: 'SOHO', INSTRUME: 'EIT', WAVELNTH: '195' }],
    ['MDI Int', { TELESCOP: 'SOHO', INSTRUME: 'MDI', DPC_OBSR: 'FD_Continuum' }],
    ['MDI Mag', { TELESCOP: 'SOHO', INSTRUME: 'MDI', DPC_OBSR: 'FD_Magnetogram_Sum' }],
    ['LASCO C2', { TELESCOP: 'SOHO', INSTRUME: 'LASCO', DETECTOR: 'C2', HCOMP_SF: '0' }],
    ['LASCO C3', { TELESCOP: 'SOHO', INSTRUME: 'LASCO', DETECTOR: 'C3', HCOMP_SF: '32' }],
    ['COR1-B', { TELESCOP: 'STEREO', OBSRVTRY: 'STEREO_B', INSTRUME: 'SECCHI', DETECTOR: 'COR1', WAVELNTH: '0' }],
    ['EUVI-A 171', { TELESCOP: 'STEREO', OBSRVTRY: 'STEREO_A', INSTRUME: 'SECCHI', DETECTOR: 'EUVI', WAVELNTH: '171' }],
    ['SWAP 174', { TELESCOP: 'PROBA2', INSTRUME: 'SWAP', DETECTOR: 'CMOS 1Kx1K', WAVELNTH: '174' }],
    ['SXT AlMgMn', { TELESCOP: 'YOHKOH', INSTRUME: 'SXT', WAVELNTH: 'AlMg' }],
    ['SXT thin-Al', { TELESCOP: 'YOHKOH', INSTRUME: 'SXT', WAVELNTH: 'Al.1' }],
    ['SXT thin-Al', { TELESCOP: 'YOHKOH', INSTRUME: 'SXT', WAVELNTH: 'Al01' }],
    ['XRT Al_poly/Open', { TELESCOP: 'HINODE', INSTRUME: 'XRT', EC_FW1_: 'Al_poly', EC_FW2_: 'Open' }],
    ['XRT Open/Open', { TELESCOP: 'HINODE', INSTRUME: 'XRT', EC_FW1_: 'Open', EC_FW2_: 'Open' }],
    ['XRT Mispositioned/Mispositioned', { TELESCOP: 'HINODE', INSTRUME: 'XRT', EC_FW1_: 'mispositioned', EC_FW2_: 'Open' }],
    ['TRACE white-light', { INSTRUME: 'TRACE', WAVE_LEN: 'WL' }],
    ['COSMO KCor', { TELESCOP: 'COSMO K-Coronagraph', INSTRUME: 'COSMO K-Coronagraph', WAVELNTH: '735' }],
    ['EUI FSI 304', { TELESCOP: 'SOLO/EUI/FSI', INSTRUME: 'EUI', DETECTOR: 'FSI', WAVELNTH: '304' }],
    ['EUI HRI 1216', { TELESCOP: 'SOLO/EUI/HRI_LYA', INSTRUME: 'EUI', DETECTOR: 'HRI_LYA', WAVELNTH: '1216' }],
    ['SUVI 94', { ...SUVI, WAVELNTH: '93.9' }],
    ['SUVI 195', { TELESCOP: 'GOES-R', INSTRUME: 'SUVI', WAVELNTH: '195' }],
    ['IRIS SJI 2796', { TELESCOP: 'IRIS', INSTRUME: 'SJI', TWAVE1: '2796.0000', PERCENTD: '13.6787' }],
    ['GONG H-alpha', { TELESCOP: 'NSO-GONG', INSTRUME: 'GONG', WAVELNTH: '6562.808' }],
    ['GONG H-alpha', { TELESCOP: 'NSO-GONG', INSTRUME: 'GONG', WAVELNTH: '656.28' }],
    ['GONG H-alpha', { TELESCOP: 'NSO-GONG', IMTYPE: 'H-ALPHA' }],
    ['GOES', { TELESCOP: 'GOES-19', INSTRUME: 'CCOR1', DETECTOR: '1' }],
    ['SWFO-L1', { TELESCOP: 'SWFO-L1', INSTRUME: 'CCOR2', DETECTOR: '1' }],
  ])('%s', (nickname, fits) => {
    const found = identify(fits);
    expect('sourceId' in found && findSource(found.sourceId)!.nickname).toBe(nickname);
  });

  it('RHESSI sources by energy band and reconstruction', () => {
    expect(identify(RHESSI, undefined, { [METHOD]: 'Back_Projection' })).toEqual({ sourceId: 97 });
    expect(identify({ ...RHESSI, ENERGY_L: '3', ENERGY_H: '6' }, undefined, { [METHOD]: 'VIS_FWDFIT' })).toEqual({
      sourceId: 125,
    });
    expect(identify({ ...RHESSI, ENERGY_L: '100', ENERGY_H: '300' }, undefined, { [METHOD]: 'Clean59' })).toEqual({
      sourceId: 112,
    });
    expect(identify({ ...RHESSI, ENERGY_L: '7' }, undefined, { [METHOD]: 'Clean' })).toHaveProperty('refusal');
  });

  it('PUNCH sources by either title of a mosaic', () => {
    const titled = (TITLE: string) => identify({ OBSRVTRY: 'PUNCH', INSTRUME: 'WFI+NFI Mosaic', TITLE });
    expect(titled('PUNCH Level-3 Unpolarized Mosaic')).toEqual({ sourceId: 131 });
    expect(titled('PUNCH Level-3 Intermediate F-corona Subtracted Unpolarized Mosaic')).toEqual({ sourceId: 131 });
    expect(titled('PUNCH Level-3 Polarized Mosaic')).toEqual({ sourceId: 134 });
    expect(titled('PUNCH Level-0 Raw')).toHaveProperty('refusal');
    expect(titled('PUNCH Level-3 Unpolarized Low Noise Mosaic')).toEqual({ sourceId: 131 });
    expect(titled('PUNCH Level-3 Polarized Mosaic Stellar Model')).toHaveProperty('refusal');
  });

  it.each<[Keywords, string, number | null]>([
    [{ TYPECODE: 'CA', OBSCODE: 'M', TITLE: 'Another title' }, '', 131],
    [{ TYPECODE: 'PT', OBSCODE: 'M', LEVEL: '3', TITLE: 'PUNCH Level-3 Unpolarized Mosaic' }, '', 134],
    [{ TITLE: 'Another title' }, 'PUNCH_L3_PAM_20250910000000_v0h.jp2', 134],
    [{ TITLE: 'PUNCH Level-3 Polarized Mosaic' }, 'PUNCH_L3_CIM_20250910000000_v0h.jp2', 131],
    [{ TITLE: 'Another title', FILENAME: 'PUNCH_L3_CTM_20250910000000_v0h.fits' }, '', 131],
    [{ TYPECODE: 'CT', OBSCODE: 'M', LEVEL: '2' }, 'PUNCH_L3_CAM_20250910000000_v0h.jp2', null],
    [{ TYPECODE: 'CF', OBSCODE: 'M' }, 'PUNCH_L3_CAM_20250910000000_v0h.jp2', null],
    [{ TYPECODE: 'CN', OBSCODE: 'N', TITLE: 'PUNCH Level-3 Unpolarized Mosaic' }, '', null],
    [{ TITLE: 'Another title' }, 'PUNCH_L2_CTM_20250910000000_v0h.jp2', null],
  ])('PUNCH sources by codes, then by the product in the name, then by the title: %j, %s', (fits, name, sourceId) => {
    const found = identify({ TELESCOP: 'PUNCH 1-2-3-4', OBSRVTRY: 'PUNCH', ...fits }, name);
    expect(found).toEqual(sourceId === null ? { refusal: expect.any(String) } : { sourceId });
  });

  it.each<[number | null, Keywords, string, Keywords?]>([
    [10, { TELESCOP: 'SDO/AIA', WAVE_STR: '171_THIN' }, ''],
    [10, { TELESCOP: 'EOS', INSTRUME: 'AIA_3', WAVELNTH: '171' }, ''],
    [19, { ...HMI, CONTENT: 'Line of sight field', BUNIT: 'Gauss' }, ''],
    [18, { ...HMI, CONTENT: 'Continuum near the magnetogram' }, '', { HV_MEASUREMENT: 'continuum' }],
    [7, { INSTRUME: 'MDI', DPC_OBSR: 'FD_Continuum', CONTENT: 'Beside the magnetogram' }, ''],
    [null, { INSTRUME: 'MDI', DPC_OBSR: 'FD_Doppler', CONTENT: 'Continuum' }, ''],
    [1, { OBSRVTRY: 'SOHO', INSTRUME: 'EIT', WAVELNTH: '195' }, ''],
    [4, { OBSRVTRY: 'SOHO', DETECTOR: 'C2' }, ''],
    [5, { INSTRUME: 'LASCO', DETECTOR: 'C3' }, ''],
    [5, {}, '', { HV_OBSERVATORY: 'SOHO', HV_INSTRUMENT: 'LASCO', HV_DETECTOR: 'C3' }],
    [20, { TELESCOP: 'STEREO Ahead', INSTRUME: 'SECCHI', DETECTOR: 'EUVI', WAVELNTH: '171' }, ''],
    [31, { OBSRVTRY: 'STEREO_B', DETECTOR: 'COR2' }, ''],
    [28, { INSTRUME: 'SECCHI', DETECTOR: 'COR1', FILENAME: '20240510_000530_s4c1A.fts' }, ''],
    [32, { INSTRUME: 'SWAP' }, ''],
    [34, { OBSRVTRY: 'Yohkoh', WAVELNTH: 'Al.1' }, ''],
    [75, { OBSRVTRY: 'TRACE', WAVE_LEN: '171' }, ''],
    [48, { INSTRUME: 'XRT', EC_FW1: '1', EC_FW2: '0' }, ''],
    [84, { TELESCOP: 'SOLO/EUI/FSI', WAVELNTH: '174' }, ''],
    [85, { INSTRUME: 'EUI', DETECTOR: 'FSI' }, 'solo_L3_eui-fsi304-image_20240702T120045260_V01.jp2'],
    [87, { FILENAME: 'solo_L2_eui-hrilya1216-image_20240702T120045260_V01.fits' }, ''],
    [88, { TELESCOP: 'GOES-16' }, 'dr_suvi-l2-ci094_g16_s20240510T000000Z_e20240510T000400Z_v1-0-2.jp2'],
    [2089, { TELESCOP: 'IRIS', TDESC1: 'SJI_2796' }, ''],
    [2088, {}, 'iris_1330A_20240415_060002.jp2'],
    [94, { OBSRVTRY: 'NSO-GONG', TELESCOP: 'GONG', WAVELNTH: '6562.8' }, ''],
    [97, { INSTRUME: 'RHESSI', ENERGY_L: '12', ENERGY_H: '25' }, '', { [METHOD]: 'Back_Projection' }],
  ])('source %s by codes beside or in place of the usual keywords: %j %s', (sourceId, fits, name, own) => {
    expect(identify(fits, name, own)).toEqual(sourceId === null ? { refusal: expect.any(String) } : { sourceId });
  });
});

const at = '2022_08_02__10_47_53_000__';

it('an archive name supplies levels that the header lacks, and identifies an image whose header names no source', () => {
  expect(identify(HMI)).toHaveProperty('refusal');
  expect(identify(HMI, `${at}SDO_HMI_HMI_magnetogram.jp2`)).toEqual({ sourceId: 19 });
  expect(identify(RHESSI, `${at}RHESSI_RHESSI_VIS_CS_12-25keV.jp2`)).toEqual({ sourceId: 121 });
  const byName = (name: string) => identify({}, `${at}${name}.jp2`);
  expect(byName('SDO_AIA_AIA_335')).toEqual({ sourceId: 14 });
  expect(byName('STEREO-A_SECCHI_EUVI_171')).toEqual({ sourceId: 20 });
  expect(byName('GOES-R_SUVI_SUVI_131')).toEqual({ sourceId: 89 });
  expect(byName('NSO-GONG_GONG_H-alpha_6562')).toEqual({ sourceId: 94 });
  expect(byName('MLSO_KCOR_KCOR_white-light-pB')).toEqual({ sourceId: 83 });
  expect(byName('TRACE_TRACE_TRACE_1550')).toEqual({ sourceId: 79 });
  expect(byName('SDO_AIA_AIA_172')).toHaveProperty('refusal');
  expect(identify({}, 'SDO_AIA_AIA_335.jp2')).toHaveProperty('refusal');
});

it('an archive name never overrides the header', () => {
  expect(identify(AIA, `${at}SDO_AIA_AIA_193.jp2`)).toEqual({ sourceId: 10 });
  expect(identify({ ...AIA, WAVELNTH: '172' }, `${at}SDO_AIA_AIA_171.jp2`)).toHaveProperty('refusal');
  expect(identify(HMI, `${at}SDO_AIA_AIA_171.jp2`)).toHaveProperty('refusal');
  expect(identify({ ...HMI, CONTENT: 'DOPPLERGRAM' }, `${at}SDO_HMI_HMI_magnetogram.jp2`)).toHaveProperty('refusal');
});

it.each<[Keywords, string]>([
  [{ ...AIA, IMG_TYPE: 'DARK' }, 'Expected an image of the Sun for IMG_TYPE, got DARK.'],
  [{ ...AIA, PERCENTD: '49.9' }, 'Expected at least 50 per cent of the pixels for PERCENTD, got 49.9.'],
  [{ ...AIA, WAVE_STR: '171_OPEN' }, 'Expected a filter for WAVE_STR, got 171_OPEN.'],
  [
    { TELESCOP: 'SOHO', INSTRUME: 'LASCO', DETECTOR: 'C2', HCOMP_SF: '32' },
    'Expected a compression factor other than 32 for HCOMP_SF, got 32.',
  ],
  [
    { TELESCOP: 'SOHO', INSTRUME: 'LASCO', DETECTOR: 'C3', HCOMP_SF: '64.0' },
    'Expected a compression factor other than 64 for HCOMP_SF, got 64.0.',
  ],
  [
    { TELESCOP: 'SOHO', INSTRUME: 'LASCO', DETECTOR: 'C1' },
    'The header is of no known datasource: it has TELESCOP SOHO, INSTRUME LASCO, DETECTOR C1.',
  ],
  [{}, 'The header is of no known datasource: it has no identifying keywords.'],
])('identifySource refuses with a reason: %j', (fits, refusal) => {
  expect(identify(fits)).toEqual({ refusal });
});

describe.skipIf(!archiveFiles.length)('real archive files', () => {
  it.each(archiveTitles)('%s is identified by its header alone, as by its name if that is of the archive', (name) => {
    // The name of the FSI file is none of the archive.
    const expected = name.includes('EUI_FSI') ? { sourceId: 84 } : identify({}, name);
    expect(identifySource(parseXmlHeader(xmlOfSample(name))!, 'image.jp2')).toEqual(expected);
  });
});
