// Missions of ESA alone or first: PROBA2 and Solar Orbiter.
import { CREDITS } from '../credits.ts';
import type { DataSource } from '../datasource.ts';
import { ANGSTROM_EUV, family, level, wavelength } from '../mission-records.ts';

export const PROBA2_SOURCES: readonly DataSource[] = family({
  firstId: 32,
  above: [
    level('Observatory', 'PROBA2', 'Project for OnBoard Autonomy 2'),
    level('Instrument', 'SWAP', 'Sun watcher using APS detectors and image processing'),
  ],
  leaves: ['174'],
  meaning: ANGSTROM_EUV,
  credit: CREDITS.proba2,
  nickname: 'SWAP {}',
  description: 'PROBA-2 SWAP {}',
  units: 'Å',
  displayOrder: 5,
  headerLevels: (header, _, instrument) => (instrument === 'SWAP' ? ['PROBA2', 'SWAP', wavelength(header) ?? '174'] : null),
  colourTable: 'PROBA2_SWAP_174',
  // Files have a palette until 27 June 2013; on that day only some do.
  ownPaletteUntilMs: Date.UTC(2013, 5, 28),
  archiveDirectory: 'SWAP',
  search: (leaf) => ({ source: 'PROBA2', instrument: 'SWAP', wavelengthAngstrom: Number(leaf) }),
  knownGaps: [{ reason: 'not-launched', to: '2009-11-02', sentence: 'PROBA2 was launched on 2 November 2009.' }],
  statusHours: [4, 8, 12],
});

const SOLO = level('Observatory', 'SOLO', 'Solar Orbiter', 'Solar_Orbiter');
const EUI = level('Instrument', 'EUI', 'Extreme Ultraviolet Imager');

/** The archive of the mission names products by telescope and passband. */
function eui(firstId: number, detector: ReturnType<typeof level>, product: string, leaves: readonly string[], meaning: string) {
  return family({
    firstId,
    above: [SOLO, EUI, detector],
    leaves,
    meaning,
    credit: CREDITS.eui,
    nickname: `EUI ${detector.name} {}`,
    description: `Solar Orbiter EUI ${detector.name} {}`,
    headerLevels: (header, telescope, instrument) => {
      // TELESCOP is `SOLO/EUI/FSI`.
      const [, named] = /\bEUI\/([A-Z_]+)/.exec(telescope) ?? [];
      if (instrument !== 'EUI' && !named) return null;
      return ['Solar_Orbiter', 'EUI', header.fits.get('DETECTOR') ?? named, wavelength(header)];
    },
    colourTable: 'EUI_{}',
    archiveDirectory: detector.fitsName,
    product: `eui-${product}{}-image`,
    search: (leaf) => ({ instrument: 'EUI', level: 2, soarProduct: `eui-${product}${leaf}-image` }),
  });
}

const FSI = level('Detector', 'FSI', 'Full Sun Imager');
const HRI_EUV = level('Detector', 'HRI', 'High Resolution Imager Extreme Ultraviolet', 'HRI_EUV');
const HRI_LYA = level('Detector', 'HRI', 'High Resolution Imager Lyman-a', 'HRI_LYA');

export const SOLAR_ORBITER_SOURCES: readonly DataSource[] = [
  ...eui(84, FSI, 'fsi', ['174', '304'], ANGSTROM_EUV),
  ...eui(86, HRI_EUV, 'hrieuv', ['174'], ANGSTROM_EUV),
  ...eui(87, HRI_LYA, 'hrilya', ['1216'], '{} Ångström'),
];
