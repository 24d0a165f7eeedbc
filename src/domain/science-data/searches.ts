// Searches of the Virtual Solar Observatory (VSO) and other archives for the science data behind the datasources.
import { type DataSource, levelName } from '../catalogue/datasource.ts';
import { findSource } from '../catalogue/sources.ts';
import { layerLabel } from '../recipe/layer-names.ts';

/** The facts by which an archive finds the data of a layer. All texts are constants of this table or names of the catalogue. */
export interface ScienceSearch {
  /** Name of the layer, `SDO AIA 171`. */
  readonly label: string;
  /** Spacecraft or network, where the instrument alone is ambiguous. */
  readonly source?: string;
  readonly instrument: string;
  readonly detector?: string;
  readonly wavelengthAngstrom?: number;
  /** Physical observable of the VSO. */
  readonly observable?: 'intensity' | 'LOS_magnetic_field';
  readonly level?: number;
  /** Product of the Solar Orbiter Archive, which has a SunPy package of its own. */
  readonly soarProduct?: string;
  /** Properties that the search cannot select. */
  readonly note?: string;
}

type Search = Omit<ScienceSearch, 'label'>;

const OBSERVABLES = { magnetogram: 'LOS_magnetic_field', continuum: 'intensity' } as const;

function observableOf(source: DataSource): Search['observable'] {
  return OBSERVABLES[levelName(source, 'Measurement') as keyof typeof OBSERVABLES];
}

/** Wavelength of a measurement that is a number; absent for white light and filters. */
function wavelength(source: DataSource): Pick<Search, 'wavelengthAngstrom'> {
  const value = Number(levelName(source, 'Measurement'));
  return Number.isInteger(value) ? { wavelengthAngstrom: value } : {};
}

const detector = (source: DataSource) => ({ detector: levelName(source, 'Detector') ?? '' });

/** Solar Orbiter's products are named by telescope and passband. */
const EUI_PRODUCTS: Readonly<Record<string, string>> = {
  'FSI 174': 'eui-fsi174-image',
  'FSI 304': 'eui-fsi304-image',
  'HRI 174': 'eui-hrieuv174-image',
  'HRI 1216': 'eui-hrilya1216-image',
};

const FILTERS = 'The search cannot select a filter: keep the files that have it.';

/** Searches by observatory and instrument, `SDO AIA`. */
const SEARCHES: Readonly<Record<string, (source: DataSource) => Search>> = {
  'SDO AIA': (source) => ({ instrument: 'AIA', ...wavelength(source) }),
  'SDO HMI': (source) => ({ instrument: 'HMI', observable: observableOf(source) ?? 'intensity' }),
  'SOHO EIT': (source) => ({ source: 'SOHO', instrument: 'EIT', ...wavelength(source) }),
  'SOHO LASCO': (source) => ({ source: 'SOHO', instrument: 'LASCO', ...detector(source) }),
  'SOHO MDI': (source) => ({ source: 'SOHO', instrument: 'MDI', observable: observableOf(source) ?? 'intensity' }),
  'STEREO_A SECCHI': (source) => ({ source: 'STEREO_A', instrument: 'SECCHI', ...detector(source), ...wavelength(source) }),
  'STEREO_B SECCHI': (source) => ({ source: 'STEREO_B', instrument: 'SECCHI', ...detector(source), ...wavelength(source) }),
  'PROBA2 SWAP': (source) => ({ source: 'PROBA2', instrument: 'SWAP', ...wavelength(source) }),
  'Yohkoh SXT': () => ({ source: 'Yohkoh', instrument: 'SXT', note: FILTERS }),
  'Hinode XRT': () => ({ source: 'Hinode', instrument: 'XRT', note: FILTERS }),
  'TRACE ': (source) => ({ source: 'TRACE', instrument: 'TRACE', ...wavelength(source) }),
  'GOES SUVI': (source) => ({ instrument: 'SUVI', ...wavelength(source), level: 2 }),
  'SOLO EUI': (source) => {
    const soarProduct = EUI_PRODUCTS[`${levelName(source, 'Detector')} ${levelName(source, 'Measurement')}`];
    return { instrument: 'EUI', level: 2, ...(soarProduct ? { soarProduct } : {}) };
  },
};

export interface ScienceData {
  readonly searches: readonly ScienceSearch[];
  /** Names of layers for which no search is known. */
  readonly unknown: readonly string[];
}

/** The searches for the data of layers, each once. */
export function scienceData(sourceIds: readonly number[]): ScienceData {
  const searches = new Map<string, ScienceSearch>();
  const unknown: string[] = [];
  for (const source of sourceIds.map(findSource).filter((found) => found !== undefined)) {
    const label = layerLabel({ sourceId: source.id });
    const find = SEARCHES[`${levelName(source, 'Observatory')} ${levelName(source, 'Instrument') ?? ''}`];
    if (find) searches.set(label, { label, ...find(source) });
    else unknown.push(label);
  }
  return { searches: [...searches.values()], unknown };
}
