import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lawHeader, parseXmlHeader } from '../../../src/jp2/xml-header.ts';
import { confirm, levelCounter } from '../../../src/sun/laws/gate.ts';
import { recognise } from '../../../src/sun/laws/recognise.ts';

const jp2gen = (program: string, setup: string, version: string, written = 'Tue Jun  1 13:41:27 2021') =>
  `JP2 file created locally at a place using ${program} at ${written}.\nHVS (Helioviewer setup) file used to create this JP2 file: ${setup}.pro (version ${version}).`;

/** What is recognised in a header of these keywords and this comment. */
function recognised(
  fits: Readonly<Record<string, string | number>>,
  comment: string,
  notes: Readonly<Record<string, string | number>> = {},
) {
  const elements = (keywords: Readonly<Record<string, string | number>>) =>
    Object.entries(keywords).map(([name, value]) => `<${name}>${value}</${name}>`);
  const text = `<meta><fits>${elements(fits).join('')}</fits><helioviewer>${elements(notes).join('')}<HV_COMMENT>${comment}</HV_COMMENT></helioviewer></meta>`;
  const found = recognise(lawHeader(parseXmlHeader(text)!));
  return 'refusal' in found ? found.refusal.reason : found.candidates.map(({ law }) => law.name);
}

const AIA = { TELESCOP: 'SDO', INSTRUME: 'AIA_3', WAVELNTH: 171, EXPTIME: 2, DATAMEDN: 145 };
const HMI = { RSUN_OBS: 945, CDELT1: 0.6, CRPIX1: 2048.5, CRPIX2: 2048.5, DATAMIN: -5000, DATAMAX: 5000 };
const EIT_HISTORY =
  'Subtracted dark current Degridded Flat fielded Exposure normalized (per sec) Flux normalized to CLEAR Filter Flux normalized for time response changes';
const lwg = (setup: string, written?: string) => jp2gen('HV_WRITE_JP2_LWG', setup, '1.0', written);

/** Comments of the programs for AIA by version, and for HMI. */
const aia = (version: number) =>
  jp2gen('hv_aia_list2jp2_gs2', version === 1 ? 'hvs_default_aia' : `hvs_version${version}`, `${version}.0`);
const MAGNETOGRAM = { ...HMI, CONTENT: 'MAGNETOGRAM' };
const hmi = jp2gen('hv_hmi_list2jp2_gs', 'hvs_default_hmi', '1.0');
const euvi = lwg('hvs_euvi_a', 'Tue Apr  6 20:31:22 2010');
const BROKEN = { WAVELNTH: 171, HISTORY: EIT_HISTORY, 'DATE-OBS': '2001-03-05T01:00:00' };
const MDI = { DPC_OBSR: 'FD_Continuum', DATAMAX: 13_000 };
const stated = (HV_IMG_FUNCTION: string, HV_IMG_DMIN: number) => ({ HV_IMG_FUNCTION, HV_IMG_DMIN, HV_IMG_DMAX: 4 });

it.each([
  ['of AIA version 5', AIA, aia(5), ['AIA v5 171']],
  [
    'of a reversible AIA 1600, maybe of version 6',
    { ...AIA, WAVELNTH: 1600 },
    aia(5),
    ['AIA v5 1600', 'AIA v6 1600'],
    { HV_REVERSIBLE: 1 },
  ],
  ['of AIA version 2', AIA, aia(2), ['AIA v2 171']],
  ['of AIA version 1', AIA, aia(1), ['AIA v1 171']],
  ['of AIA version 3', AIA, aia(3), 'ambiguous-recipe'],
  ['of 304 by version 2', { ...AIA, WAVELNTH: 304 }, aia(2), 'own-scale'],
  ['of AIA without an exposure', { ...AIA, EXPTIME: 0 }, aia(5), 'missing-statistics'],
  ['of a magnetogram', MAGNETOGRAM, hmi, ['HMI magnetogram']],
  ['of a magnetogram of weak fields', { ...MAGNETOGRAM, DATAMAX: 200 }, hmi, 'missing-statistics'],
  ['of a continuum image without its maximum', { ...HMI, CONTENT: 'CONTINUUM INTENSITY', DATAMAX: 0 }, hmi, 'missing-statistics'],
  ['of a quick look of MDI', MDI, lwg('hvs_default_mdi'), 'own-scale', { HV_QUICKLOOK: 'TRUE' }],
  ['of EIT with its calibration', { WAVELNTH: 171, HISTORY: EIT_HISTORY }, lwg('hvs_default_eit'), ['EIT 171']],
  [
    'of EIT without its calibration',
    { WAVELNTH: 171, HISTORY: 'Subtracted dark current' },
    lwg('hvs_default_eit'),
    'unknown-recipe',
  ],
  ['of EIT 171 in the days of a broken scale', BROKEN, lwg('hvs_default_eit'), 'own-scale'],
  ['of LASCO', {}, lwg('hvs_highbitrate_lasco_c3'), 'ratio'],
  ['of COR1', {}, lwg('hvs_cor1_a'), 'own-scale'],
  ['of COR2', {}, lwg('hvs_cor2_b'), 'ratio'],
  ['of EUVI through a colour table', { WAVELNTH: 195, BUNIT: 'DN/s' }, euvi, 'own-scale'],
  ['of EUVI', { WAVELNTH: 195, BUNIT: 'DN/s' }, lwg('hvs_euvi_a'), ['EUVI 195']],
  ['of KCor before 2020', { 'DATE-OBS': '2018-01-01T00:00:00' }, lwg('hvs_kcor'), 'ambiguous-recipe'],
  ['of XRT', {}, lwg('hvs_hinode_xrt'), 'unknown-recipe'],
  ['of EUI by another team', { INSTRUME: 'EUI', DETECTOR: 'FSI', WAVELNTH: 174 }, ' Software      : fits2img', 'unknown-recipe'],
  ['of an unknown program', AIA, 'made by hand', 'unknown-recipe'],
  ['with a scale of its own', { BUNIT: 'K' }, '', ['HV_ZERO and HV_SCALE'], { HV_ZERO: 1, HV_SCALE: 2 }],
  ['whose stated ends are not in order', {}, '', 'missing-statistics', stated('IMG = BYTSCL(SQRT(IMG),/NAN)', 5)],
  ['whose stated function is unknown', {}, '', 'unknown-recipe', stated('IMG = MAGIC', 1)],
] as const)('a header: %s gets its law or refusal', (_, fits, comment, expected, notes = {} as never) => {
  expect(recognised(fits as Record<string, string>, comment, notes)).toEqual(expected);
});

it('a header whose HV_QUICKLOOK and HV_COMMENT occur twice is read whole', () => {
  const twice = '<HV_QUICKLOOK>FALSE</HV_QUICKLOOK><HV_QUICKLOOK>TRUE</HV_QUICKLOOK><HV_COMMENT>a</HV_COMMENT>';
  const comment = `<HV_COMMENT>${lwg('hvs_default_mdi')}</HV_COMMENT>`;
  const header = parseXmlHeader(`<meta><fits></fits><helioviewer>${twice}${comment}</helioviewer></meta>`)!;
  expect(recognise(lawHeader(header))).toMatchObject({ refusal: { reason: 'own-scale' } });
});

it('a header gets a verdict for any content, in time proportional to its length', () => {
  const programs = 'hv_aia_list2jp2_gs2|HV_WRITE_JP2_LWG|hvs_version5.pro (version 5.0).|fits2img|Software :|at Tue Jun  1';
  const word = fc.constantFrom(...programs.split('|'));
  const names =
    'WAVELNTH EXPTIME DATAMEDN DATAMEAN DATAMIN DATAMAX HV_ZERO HV_SCALE HV_IMG_FUNCTION HV_IMG_DMIN HV_IMG_DMAX'.split(' ');
  const value = fc.oneof(
    fc.constantFrom('171', '0', '-1', 'nan', '1e308', 'BYTSCL(ALOG10(IMG),MIN=1)', 'BYTSCL(IMG'),
    fc.double().map(String),
  );
  fc.assert(
    fc.property(
      fc.array(word),
      fc.dictionary(fc.constantFrom(...names), value),
      fc.uint8Array({ minLength: 64, maxLength: 64 }),
      (words, keywords, samples) => {
        const header = { keywords: new Map(Object.entries(keywords)), comment: words.join(' '), isQuicklook: false };
        const counter = levelCounter({ width: 8, height: 8, refPixelX: 4, refPixelY: 4, rsunPixels: 3 }, null);
        counter.add({ x0: 0, y0: 0, width: 8, height: 8, samples });
        const verdict = confirm(recognise(header), counter.census, true);
        expect('refusal' in verdict ? verdict.refusal.sentence.length : verdict.confirmed.law.name.length).toBeGreaterThan(0);
      },
    ),
    { numRuns: 2000 },
  );
  const hostile = (unit: string) => ({ meta: '', fits: new Map([['HISTORY', unit.repeat(200_000)]]), helioviewer: new Map() });
  const started = performance.now();
  for (const unit of ['Software : ', 'Creation Time : ', 'hvs_a', 'at Tue Jun ']) {
    const header = { ...hostile(unit), meta: `<meta><HV_COMMENT>${unit.repeat(90_000)}</HV_COMMENT></meta>` };
    recognise(lawHeader(header));
  }
  expect(performance.now() - started).toBeLessThan(5000);
});
