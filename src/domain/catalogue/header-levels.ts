// Reads observatory, instrument, detector and measurement from the FITS headers of each mission, in the spelling of the
// catalogue's `fitsName`. Checked against real files: SDO, SOHO (EIT, MDI, LASCO C3), SWAP, EUI FSI, IRIS,
// RHESSI. The others follow the published keyword lists of their missions.

export interface SourceHeader {
  readonly fits: ReadonlyMap<string, string>;
  /** HV_... keywords, added when the JP2 was made. */
  readonly helioviewer: ReadonlyMap<string, string>;
}

/** One value per level; undefined where the header has none. */
export type HeaderLevels = readonly (string | undefined)[];

interface Mission {
  readonly isOf: (telescope: string, instrument: string, header: SourceHeader) => boolean;
  readonly levels: (header: SourceHeader) => HeaderLevels;
}

function integerText(text: string | undefined, round = Math.round): string | undefined {
  const value = Number(text);
  return text && Number.isFinite(value) ? String(round(value)) : text;
}

function wavelength({ fits, helioviewer }: SourceHeader): string | undefined {
  return integerText(fits.get('WAVELNTH') ?? helioviewer.get('HV_MEASUREMENT'));
}

/** `magnetogram` or `continuum` if any of the keywords names it; otherwise the first value present. */
function observable({ fits, helioviewer }: SourceHeader): string | undefined {
  const told = [fits.get('CONTENT'), fits.get('DPC_OBSR'), fits.get('OBS_MODE'), helioviewer.get('HV_MEASUREMENT')];
  const contents = told.filter((text) => text !== undefined);
  if (contents.some((text) => /magnetogram/i.test(text))) return 'magnetogram';
  if (contents.some((text) => /continuum|intensity/i.test(text))) return 'continuum';
  return contents[0];
}

const SXT_FILTERS: Readonly<Record<string, string>> = {
  almg: 'AlMgMn',
  almgmn: 'AlMgMn',
  'al.1': 'thin-Al',
  al01: 'thin-Al',
  'thin-al': 'thin-Al',
  open: 'white-light',
  'white-light': 'white-light',
};

function sxtFilter({ fits, helioviewer }: SourceHeader): string | undefined {
  const told = fits.get('WAVELNTH') ?? helioviewer.get('HV_MEASUREMENT');
  return told && (SXT_FILTERS[told.toLowerCase()] ?? told);
}

function traceChannel({ fits, helioviewer }: SourceHeader): string | undefined {
  const told = fits.get('WAVE_LEN') ?? fits.get('WAVELNTH') ?? helioviewer.get('HV_MEASUREMENT');
  return told?.toUpperCase() === 'WL' ? 'white-light' : integerText(told);
}

/** The pair of filters; `Mispositioned` when a wheel stood between two positions. */
function xrtFilters({ fits }: SourceHeader): HeaderLevels {
  const wheels = [fits.get('EC_FW1_'), fits.get('EC_FW2_')];
  return wheels.some((wheel) => /^mispositioned/i.test(wheel ?? '')) ? ['Mispositioned', 'Mispositioned'] : wheels;
}

function stereoObservatory({ fits }: SourceHeader): string | undefined {
  return fits.get('OBSRVTRY')?.replace(/^STEREO[ -]?(?=[AB])/i, 'STEREO_');
}

/** `25.0_50.0` */
function energyBand({ fits }: SourceHeader): string | undefined {
  const [low, high] = [fits.get('ENERGY_L'), fits.get('ENERGY_H')];
  return low && high && `${Number(low).toFixed(1)}_${Number(high).toFixed(1)}`;
}

function reconstruction({ helioviewer }: SourceHeader): string | undefined {
  return helioviewer.get('HV_RHESSI_IMAGE_RECONSTRUCTION_METHOD')?.replaceAll(' ', '_');
}

/** `6562` from the wavelength (6562.8 Å or 656.28 nm) or from the name of the line. */
function gongLine({ fits }: SourceHeader): string | undefined {
  const told = fits.get('WAVELNTH');
  if (told) return integerText(/^656\.\d/.test(told) ? String(Number(told) * 10) : told, Math.trunc);
  const line = [fits.get('DETECTOR'), fits.get('IMTYPE'), fits.get('OBS_TYPE')].find((text) => text !== undefined);
  return line && /h-?alpha/i.test(line) ? '6562' : line;
}

const MISSIONS: readonly Mission[] = [
  { isOf: (_, instrument) => instrument.startsWith('AIA'), levels: (h) => ['SDO', 'AIA', wavelength(h)] },
  { isOf: (_, instrument) => instrument.startsWith('HMI'), levels: (h) => ['SDO', 'HMI', observable(h)] },
  {
    isOf: (telescope, instrument) => telescope === 'SOHO' && instrument === 'EIT',
    levels: (h) => ['SOHO', 'EIT', wavelength(h)],
  },
  {
    isOf: (telescope, instrument) => telescope === 'SOHO' && instrument === 'MDI',
    levels: (h) => ['SOHO', 'MDI', observable(h)],
  },
  {
    isOf: (telescope, instrument) => telescope === 'SOHO' && instrument === 'LASCO',
    levels: ({ fits }) => ['SOHO', 'LASCO', fits.get('DETECTOR'), 'white-light'],
  },
  {
    isOf: (telescope, instrument) => telescope.startsWith('STEREO') || instrument === 'SECCHI',
    levels: (h) => {
      const detector = h.fits.get('DETECTOR');
      return [stereoObservatory(h), 'SECCHI', detector, detector?.startsWith('COR') ? 'white-light' : wavelength(h)];
    },
  },
  { isOf: (_, instrument) => instrument === 'SWAP', levels: (h) => ['PROBA2', 'SWAP', wavelength(h)] },
  {
    isOf: (telescope, instrument) => telescope === 'YOHKOH' || instrument === 'SXT',
    levels: (h) => ['Yohkoh', 'SXT', sxtFilter(h)],
  },
  { isOf: (_, instrument) => instrument === 'XRT', levels: (h) => ['Hinode', 'XRT', ...xrtFilters(h)] },
  {
    isOf: (telescope, instrument) => telescope === 'TRACE' || instrument === 'TRACE',
    levels: (h) => ['TRACE', traceChannel(h)],
  },
  {
    isOf: (telescope, instrument) => [telescope, instrument].some((name) => /\bK-?COR/.test(name)),
    levels: () => ['MLSO', 'COSMO', 'KCor', '735'],
  },
  {
    isOf: (_, instrument) => instrument === 'EUI',
    levels: (h) => ['Solar_Orbiter', 'EUI', h.fits.get('DETECTOR'), wavelength(h)],
  },
  {
    isOf: (_, instrument) => /SUVI|SOLAR ULTRAVIOLET IMAGER/.test(instrument),
    levels: (h) => ['GOES-R', 'SUVI', wavelength(h)],
  },
  {
    isOf: (telescope, instrument) => telescope === 'IRIS' && instrument === 'SJI',
    levels: (h) => ['IRIS', 'SJI', integerText(h.fits.get('TWAVE1')) ?? wavelength(h)],
  },
  { isOf: (telescope) => /GONG$/.test(telescope), levels: (h) => ['NSO-GONG', 'GONG', 'H-alpha', gongLine(h)] },
  { isOf: (telescope) => telescope === 'RHESSI', levels: (h) => ['RHESSI', energyBand(h), reconstruction(h)] },
  {
    isOf: (telescope, _, { fits }) => telescope.startsWith('PUNCH') || /^PUNCH/.test(fits.get('TITLE') ?? ''),
    levels: ({ fits }) => ['PUNCH', 'WFI+NFI', fits.get('TITLE')],
  },
  { isOf: (_, instrument) => /^CCOR-?1$/.test(instrument), levels: () => ['GOES-19', 'CCOR1', '1', 'white-light'] },
  { isOf: (_, instrument) => /^CCOR-?2$/.test(instrument), levels: () => ['SWFO-L1', 'CCOR2', '1', 'white-light'] },
];

/** Levels of the source according to its header; null for an unknown mission. */
export function headerLevels(header: SourceHeader): HeaderLevels | null {
  const upper = (keyword: string) => header.fits.get(keyword)?.trim().toUpperCase() ?? '';
  const telescope = upper('TELESCOP') || upper('OBSRVTRY');
  return MISSIONS.find(({ isOf }) => isOf(telescope, upper('INSTRUME'), header))?.levels(header) ?? null;
}
