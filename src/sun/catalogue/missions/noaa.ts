// Satellites of NOAA: Geostationary Operational Environmental Satellites, and Space Weather Follow On at the first Lagrange point.
import { CREDITS } from '../credits.ts';
import type { DataSource } from '../datasource.ts';
import { dataSource, family, level, wavelength } from '../mission-records.ts';

export const NOAA_SOURCES: readonly DataSource[] = [
  ...family({
    // Ids of the interface; the public service has IRIS there, and SUVI at 2000-2005.
    firstId: 88,
    firstAliasId: 2000,
    above: [level('Observatory', 'GOES', 'GOES-R', 'GOES-R'), level('Instrument', 'SUVI', 'Solar UltraViolet Imager')],
    leaves: ['94', '131', '171', '195', '284', '304'],
    meaning: '{} Ångström',
    credit: CREDITS.suvi,
    nickname: 'SUVI {}',
    description: 'GOES-R SUVI {}',
    headerLevels: (header, _, instrument) =>
      /SUVI|SOLAR ULTRAVIOLET IMAGER/.test(instrument) ? ['GOES-R', 'SUVI', wavelength(header)] : null,
    colourTable: 'SUVI_{}',
    archiveDirectory: 'SUVI',
    product: 'suvi-l\\d\\w?-[a-z]{2}0?{}_',
    search: (leaf) => ({ instrument: 'SUVI', wavelengthAngstrom: Number(leaf), level: 2 }),
  }),
  ...family({
    firstId: 132,
    above: [
      level('Observatory', 'GOES', 'GOES Observatory', 'GOES-19'),
      level('Instrument', 'CCOR-1', 'CCOR-1', 'CCOR1'),
      level('Detector', 'CCOR-1', 'CCOR-1', '1'),
    ],
    leaves: ['white-light'],
    credit: CREDITS.ccor,
    nickname: 'GOES',
    description: 'CCOR-1',
    headerLevels: (_, __, instrument) => (/^CCOR-?1$/.test(instrument) ? ['GOES-19', 'CCOR1', '1', 'white-light'] : null),
    // As LASCO C3: the public service has no colour table for CCOR, and no mask.
    colourTable: 'Blue_White_Linear',
    archiveDirectory: 'CCOR-1',
    // The field of view is 3.7 to 22 solar radii. It is not measured on images, so the inner edge is the smallest one published.
    mask: { unit: 'solar-radii', anchor: 'sun', inner: [0, 0, 3.7], outer: [0, 0, 22], masksDownloads: false },
  }),
  dataSource({
    id: 133,
    credit: CREDITS.ccor,
    nickname: 'SWFO-L1',
    description: 'CCOR-2',
    // Instrument and detector share one level. There is no mask, as in the public service: neither the occulter nor the centre of images is measured.
    levels: [
      { order: 1, ...level('Observatory', 'SWFO-L1', 'SWFO-L1 Observatory') },
      { order: 2, ...level('Instrument', 'CCOR-2', 'CCOR-2', 'CCOR2') },
      { order: 2, ...level('Detector', 'CCOR-2', 'CCOR-2', '1') },
      { order: 3, ...level('Measurement', 'white-light', 'White Light') },
    ],
    headerLevels: (_, __, instrument) => (/^CCOR-?2$/.test(instrument) ? ['SWFO-L1', 'CCOR2', '1', 'white-light'] : null),
    colourTable: 'Blue_White_Linear',
    archiveDirectory: 'CCOR-2',
  }),
];
