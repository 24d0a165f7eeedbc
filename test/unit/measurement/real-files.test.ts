import { describe, expect, it } from 'vitest';
import { statisticsOf } from '../../../src/sun/laws/value.ts';
import { countFile, judgeCounted } from '../../support/jp2/file-law.ts';
import { archiveFiles, readArchiveFile } from '../../support/real-files.ts';

/** What the statistics of the headers say of the recipes: section 10 of the reference. */
const ACCEPTED: Readonly<
  Record<
    string,
    readonly [law: string, status: string, figures: Readonly<Record<string, readonly [stated: number, found: number]>>]
  >
> = {
  '2021_06_01__00_01_21_347__SDO_AIA_AIA_171': [
    'AIA v5 171',
    'exact',
    { marker: [255, 253], median: [72.52, 72.84], mean: [82.95, 84.01] },
  ],
  '2022_01_01__00_03_52_835__SDO_AIA_AIA_193': [
    'AIA v5 193',
    'exact',
    { marker: [255, 249], median: [71.5, 71.44], mean: [101.05, 105.17] },
  ],
  '2021_06_01__00_01_29_132__SDO_AIA_AIA_304': [
    'AIA v5 304',
    'exact',
    { marker: [255, 236], median: [1.034, 0.947], mean: [1.632, 2.002] },
  ],
  '2022_08_02__10_47_53_000__SDO_HMI_HMI_magnetogram': ['HMI magnetogram', 'exact', { zero: [0, 0.98] }],
  '2005_01_11__23_59_32_227__SOHO_MDI_MDI_continuum': ['MDI continuum', 'exact', { median: [10_688.1, 10_668.9] }],
  '2013_06_12__00_01_34_351__PROBA2_SWAP_SWAP_174': ['SWAP 174', 'approximate', { scale: [360, 360.1] }],
  '2013_06_12__00_03_44_352__PROBA2_SWAP_SWAP_174': ['SWAP 174', 'approximate', { scale: [360, 360.1] }],
  '2022_04_01__00_00_45__SOLO-EUI-FSI_EUI_FSI_174': ['EUI FSI 174', 'approximate', { scale: [8191, 8228] }],
  '2024_04_16__13_00_13_908__SOHO_EIT_EIT_171': ['EIT 171', 'approximate', {}],
};
const REFUSED: Readonly<Record<string, string>> = {
  '2023_12_01__00_06_07_373__SOHO_LASCO_C3_white-light': 'ratio',
  iris_1330A_20240415_060002: 'own-scale',
  '2012_07_05__03_25_52_200__RHESSI_RHESSI_Back_Projection_25-50keV': 'own-scale',
};

const counted = new Map<string, ReturnType<typeof countFile>>();

/** The verdict on a file, whose bytes are counted once. */
async function judge(name: string, headerText?: (text: string) => string) {
  const known = counted.get(name) ?? countFile(readArchiveFile(name));
  counted.set(name, known);
  return judgeCounted(await known, headerText);
}

const named = (file: string) => file.replace(/\.jp2$/, '');

describe.skipIf(archiveFiles.length === 0)('the law of the real file', () => {
  it('gives a verdict for every file of SAMPLES_DIR', () => {
    expect([...Object.keys(ACCEPTED), ...Object.keys(REFUSED)].sort()).toEqual(archiveFiles.map(named).sort());
  });

  it.each(archiveFiles.filter((file) => named(file) in ACCEPTED))(
    '%s is accepted, with the figures of its header',
    async (file) => {
      const { verdict } = await judge(file);
      const [law, status, figures] = ACCEPTED[named(file)]!;
      if ('refusal' in verdict) throw new Error(verdict.refusal.sentence);
      const { confirmed } = verdict;
      expect([confirmed.law.name, confirmed.status]).toEqual([law, status]);
      expect(confirmed.figures.map(({ gate }) => gate)).toEqual(Object.keys(figures));
      for (const { gate, stated, found } of confirmed.figures) {
        const [header, inverted] = figures[gate]!;
        expect(stated / header || 1, `${gate} of the header`).toBeCloseTo(1, 3);
        expect(found / inverted, `${gate} of the pixels`).toBeCloseTo(1, 2);
      }
    },
  );

  it.each(archiveFiles.filter((file) => named(file) in REFUSED))('%s is refused', async (file) => {
    const { verdict } = await judge(file);
    expect(verdict).toMatchObject({ refusal: { reason: REFUSED[named(file)], sentence: expect.stringMatching(/^An? |^The /) } });
  });

  it.each(archiveFiles.filter((file) => file.includes('AIA')))(
    '%s fails its gate by the recipe of another channel',
    async (file) => {
      const own = /AIA_(\d+)\.jp2/.exec(file)![1]!;
      const wrong = { 171: ['193', '211', '1600'], 193: ['171', '211', '335'], 304: ['171', '193', '131'] }[own]!;
      for (const channel of wrong) {
        const { verdict } = await judge(file, (text) => text.replace(`<WAVELNTH>${own}<`, `<WAVELNTH>${channel}<`));
        expect(verdict, channel).toMatchObject({ refusal: { reason: 'gate' } });
      }
    },
  );

  it.each(archiveFiles.filter((file) => file.includes('HMI')))(
    '%s has no data outside of the disc, and weak fields on it',
    async (file) => {
      const { verdict, census } = await judge(file);
      if ('refusal' in verdict) throw new Error(verdict.refusal.sentence);
      const statistics = statisticsOf(verdict.confirmed, census)!;
      const { disc } = verdict.confirmed;
      expect(statistics.count / (Math.PI * disc!.radius ** 2)).toBeCloseTo(1, 3);
      expect(statistics.noData).toBe(4096 ** 2 - statistics.count);
      expect(Math.abs(statistics.mean)).toBeLessThan(1);
      expect(statistics.above / statistics.count).toBeLessThan(0.0015);
    },
  );
});
