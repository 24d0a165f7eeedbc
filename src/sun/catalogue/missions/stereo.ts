// Solar Terrestrial Relations Observatory, two spacecraft with the same instruments.
import { CREDITS } from '../credits.ts';
import type { DataSource, HeaderRule, Mask } from '../datasource.ts';
import { ANGSTROM_EUV, family, level, wavelength } from '../mission-records.ts';

const SECCHI = level('Instrument', 'SECCHI', 'Sun Earth Connection Coronal and Heliospheric Investigation');
const EUVI = level('Detector', 'EUVI', 'Extreme Ultraviolet Imager');

const headerLevels: HeaderRule = (header, telescope, instrument) => {
  if (!telescope.includes('STEREO') && instrument !== 'SECCHI') return null;
  const detector = header.fits.get('DETECTOR');
  // The names of SECCHI end in the letter of the spacecraft, as in `20240510_000530_n4euA.fts`.
  const [, letter] =
    /STEREO[ _-]?([AB])/.exec(telescope) ?? /_\w{2}(?:eu|c1|c2)([ab])\.f/i.exec(header.fits.get('FILENAME') ?? '') ?? [];
  return [
    letter && `STEREO_${letter.toUpperCase()}`,
    'SECCHI',
    detector,
    detector?.startsWith('COR') ? 'white-light' : wavelength(header),
  ];
};

/** The ids are those of the first wavelength of EUVI and of COR1, the masks those of COR1 and COR2. */
const SPACECRAFT = [
  {
    letter: 'A',
    position: 'Ahead',
    firstEuvi: 20,
    firstCoronagraph: 28,
    displayOrder: 3,
    masks: [
      { inner: [0, 0, 387], outer: [0, 0, 1151] },
      { inner: [0, 0, 178], outer: [0, 0, 1041] },
    ],
    knownGap: {
      reason: 'outage',
      from: '2015-03-24',
      to: '2015-07-13',
      sentence: 'STEREO-A was behind the Sun and out of contact.',
    },
  },
  {
    letter: 'B',
    position: 'Behind',
    firstEuvi: 24,
    firstCoronagraph: 30,
    displayOrder: 4,
    masks: [
      { inner: [2, 27, 383], outer: [0, 0, 1090] },
      { inner: [19, 28, 216], outer: [-5, -2, 1043] },
    ],
    knownGap: { reason: 'mission-ended', from: '2014-10-01', sentence: 'Contact with STEREO-B was lost on 1 October 2014.' },
  },
] as const;

function stereo({ letter, position, firstEuvi, firstCoronagraph, displayOrder, masks, knownGap }: (typeof SPACECRAFT)[number]) {
  const source = `STEREO_${letter}`;
  const above = [level('Observatory', source, `Solar Terrestrial Relations Observatory ${position}`), SECCHI];
  const common = {
    headerLevels,
    knownGaps: [{ reason: 'not-launched', to: '2006-10-26', sentence: 'STEREO was launched on 26 October 2006.' }, knownGap],
    statusHours: [84, 120, 144],
  } as const;
  return [
    ...family({
      ...common,
      firstId: firstEuvi,
      above: [...above, EUVI],
      leaves: ['171', '195', '284', '304'],
      meaning: ANGSTROM_EUV,
      credit: CREDITS.stereo,
      nickname: `EUVI-${letter} {}`,
      description: `STEREO ${letter} EUVI {}`,
      units: 'Å',
      displayOrder,
      colourTable: 'STEREO_EUVI_{}',
      archiveDirectory: `EUVI-${letter}`,
      search: (leaf) => ({ source, instrument: 'SECCHI', detector: 'EUVI', wavelengthAngstrom: Number(leaf) }),
    }),
    ...masks.flatMap(({ inner, outer }, i) => {
      const detector = `COR${i + 1}`;
      const mask: Mask = { unit: 2048, anchor: 'image', inner, outer, masksDownloads: true };
      return family({
        ...common,
        firstId: firstCoronagraph + i,
        above: [...above, level('Detector', detector, `Coronograph ${i + 1}`)],
        leaves: ['white-light'],
        credit: CREDITS.stereo,
        nickname: `${detector}-${letter}`,
        description: `STEREO ${letter} ${detector}`,
        units: 'DN',
        layeringOrder: i + 2,
        colourTable: i === 0 ? 'Green-White_Linear' : 'Red_Temperature',
        archiveDirectory: `${detector}-${letter}`,
        mask,
        search: () => ({ source, instrument: 'SECCHI', detector }),
      });
    }),
  ];
}

export const STEREO_SOURCES: readonly DataSource[] = SPACECRAFT.flatMap(stereo);
