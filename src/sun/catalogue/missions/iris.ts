// Interface Region Imaging Spectrograph.
import { CREDITS } from '../credits.ts';
import type { DataSource, SourceHeader } from '../datasource.ts';
import { family, integerText, level, wavelength } from '../mission-records.ts';

/** `1330` from TWAVE1 or from a TDESC1 of `SJI_1330`; undefined in a file of the spectrograph. */
const channelOf = ({ fits }: SourceHeader): string | undefined =>
  integerText(fits.get('TWAVE1')) ?? /^SJI_(\d+)/.exec(fits.get('TDESC1') ?? '')?.[1];

export const IRIS_SOURCES: readonly DataSource[] = family({
  // The public service has these at 88-93, where the interface has SUVI.
  firstId: 2088,
  above: [level('Observatory', 'IRIS', 'IRIS'), level('Instrument', 'SJI', 'Slit Jaw Imager')],
  leaves: ['1330', '2796', '1400', '1600', '2832', '5000'],
  meaning: '{} Ångström',
  credit: CREDITS.iris,
  nickname: 'IRIS SJI {}',
  description: 'IRIS SJI {}',
  headerLevels: (header, telescope, instrument) =>
    instrument === 'SJI' || /\bIRIS\b/.test(telescope) ? ['IRIS', 'SJI', channelOf(header) ?? wavelength(header)] : null,
  colourTable: 'SJI_{}',
  archiveDirectory: 'SJI',
  product: '^iris_{}A_',
});
