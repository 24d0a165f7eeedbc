// Interface Region Imaging Spectrograph.
import type { DataSource } from '../datasource.ts';
import { family, level } from '../family.ts';
import { integerText, wavelength } from '../header-values.ts';

export const IRIS_SOURCES: readonly DataSource[] = family({
  // The public service has these at 88-93, where the interface has SUVI.
  firstId: 2088,
  above: [level('Observatory', 'IRIS', 'IRIS'), level('Instrument', 'SJI', 'Slit Jaw Imager')],
  leaves: ['1330', '2796', '1400', '1600', '2832', '5000'],
  meaning: '{} Ångström',
  nickname: 'IRIS SJI {}',
  description: 'IRIS SJI {}',
  units: null,
  headerLevels: (header, telescope, instrument) =>
    telescope === 'IRIS' && instrument === 'SJI'
      ? ['IRIS', 'SJI', integerText(header.fits.get('TWAVE1')) ?? wavelength(header)]
      : null,
  colourTable: 'SJI_{}',
  archiveDirectory: 'SJI',
});
