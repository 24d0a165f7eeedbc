import { CREDITS } from '../credits.ts';
import type { DataSource } from '../datasource.ts';
import { ANGSTROM_EUV, family, level, wavelength } from '../mission-records.ts';

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
