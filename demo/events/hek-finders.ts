// Detection modules whose records the sample imitates, by their names in the knowledgebase.

/** Wavelength in `unit`; null and '' where the records have none. */
type Observation = readonly [observatory: string, instrument: string, channel: string, wavelength: number | null, unit: string];

/** The detection module of an event, its institute and authors. */
export interface FeatureFinder {
  readonly name: string;
  readonly institute: string;
  readonly contact: string;
  readonly url: string;
  /** As it appears in ids: `NOAASWPCObserver`. */
  readonly idName: string;
  /** As the search names it; '' where the records have no name. */
  readonly searchName: string;
  readonly humanflag: 'true' | 'false';
  /** Images in which it finds events. */
  readonly observation: Observation;
}

/** `idName` and `searchName`: as the name unless given. */
function finder(
  name: string,
  institute: string,
  url: string,
  observation: Observation,
  rest: Partial<FeatureFinder> = {},
): FeatureFinder {
  const usual = { contact: 'helioedge sample', idName: name, searchName: name, humanflag: 'false' } as const;
  return { name, institute, url, observation, ...usual, ...rest };
}

export const NOAA = finder('NOAA SWPC Observer', 'NOAA SWPC', 'N/A', ['SDO', 'HMI', 'continuum', 6173, 'Angstrom'], {
  contact: 'http://www.swpc.noaa.gov/',
  idName: 'NOAASWPCObserver',
  humanflag: 'true',
});
const SPOCA_URL = 'http://sdoatsidc.oma.be/web/sdoatsidc/SoftwareSPoCA';
export const SPOCA = finder('SPoCA', 'ROB', SPOCA_URL, ['SDO', 'AIA', '193', 1.93e-6, 'cm']);
/** Of active regions, in two channels. */
export const SPOCA_REGIONS: FeatureFinder = { ...SPOCA, observation: ['SDO', 'AIA', '171 193', 1.71e-6, 'cm'] };
const EGSO_URL = 'http://solar.inf.brad.ac.uk';
export const EGSO = finder('EGSO_SFC', 'Observatoire de Paris', EGSO_URL, ['SOHO', 'MDI', 'continuum', null, ''], {
  searchName: '',
});
export const SWPC = finder('SWPC', 'SWPC', 'https://www.swpc.noaa.gov/', ['GOES', 'GOES', 'XRS', 4.5, 'Angstrom']);
const BBSO_CAMERA = ['BBSO', 'Full Disk Camera', 'H alpha', 6562.8, 'Angstrom'] as const;
export const AAFDCC = finder('AAFDCC', 'NJIT', 'http://www.bbso.njit.edu', BBSO_CAMERA);
const CACTUS_NAME = 'CACTus (Computer Aided CME Tracking)';
export const CACTUS = finder(CACTUS_NAME, 'SIDC', 'http://sidc.oma.be/cactus', ['SOHO', 'LASCO', 'C2', 5600, 'Angstrom'], {
  idName: 'CACTus',
});
