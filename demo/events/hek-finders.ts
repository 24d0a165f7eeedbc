// Detection modules whose records the sample imitates, by their names in the knowledgebase.

/** The detection module of an event, its institute and authors. */
export interface FeatureFinder {
  readonly name: string;
  readonly institute: string;
  readonly contact: string;
  readonly url: string;
  /** As it appears in ids: `NOAASWPCObserver`. */
  readonly idName: string;
  readonly humanflag: 'true' | 'false';
}

const CONTACT = 'helioedge sample';

export const NOAA: FeatureFinder = {
  name: 'NOAA SWPC Observer',
  institute: 'NOAA SWPC',
  contact: 'http://www.swpc.noaa.gov/',
  url: 'N/A',
  idName: 'NOAASWPCObserver',
  humanflag: 'true',
};

export const SPOCA: FeatureFinder = {
  name: 'SPoCA',
  institute: 'ROB',
  contact: CONTACT,
  url: 'http://sdoatsidc.oma.be/web/sdoatsidc/SoftwareSPoCA',
  idName: 'SPoCA',
  humanflag: 'false',
};

export const EGSO: FeatureFinder = {
  name: 'EGSO_SFC',
  institute: 'Observatoire de Paris',
  contact: CONTACT,
  url: 'http://solar.inf.brad.ac.uk',
  idName: 'EGSO_SFC',
  humanflag: 'false',
};

export const SWPC: FeatureFinder = {
  name: 'SWPC',
  institute: 'SWPC',
  contact: CONTACT,
  url: 'https://www.swpc.noaa.gov/',
  idName: 'SWPC',
  humanflag: 'false',
};

export const AAFDCC: FeatureFinder = {
  name: 'AAFDCC',
  institute: 'NJIT',
  contact: CONTACT,
  url: 'http://www.bbso.njit.edu',
  idName: 'AAFDCC',
  humanflag: 'false',
};

export const CACTUS: FeatureFinder = {
  name: 'CACTus (Computer Aided CME Tracking)',
  institute: 'SIDC',
  contact: CONTACT,
  url: 'http://sidc.oma.be/cactus',
  idName: 'CACTus',
  humanflag: 'false',
};
