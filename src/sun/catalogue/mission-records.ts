// What the records of missions are made with: families of datasources that differ in the last level only, such as the wavelengths of AIA, where
// `{}` in a text stands for its name; and the values of headers that identify a datasource.
import { type DataSource, type Level, levelName, type ScienceSearch, type SourceHeader } from './datasource.ts';

type LevelRow = Omit<Level, 'order'>;
/** Fields that have a default: none, 1, 0, the instrument level, and two, four and twelve hours. */
type WithoutValue = 'description' | 'units' | 'colourTable' | 'mask' | 'search' | 'knownGaps';
type WithDefault = WithoutValue | 'layeringOrder' | 'displayOrder' | 'statusName' | 'statusHours';
type Common = Omit<DataSource, WithDefault> & Partial<Pick<DataSource, WithDefault>>;

interface Family extends Omit<Common, 'id' | 'aliasId' | 'levels' | 'search'> {
  /** Ids of the first leaf; the others follow. */
  readonly firstId: number;
  readonly firstAliasId?: number;
  readonly above: readonly LevelRow[];
  readonly leaves: readonly string[];
  /** `Measurement` unless given. */
  readonly leafLabel?: string;
  /** Description of the last level; absent for one in MEANINGS, or the name itself. */
  readonly meaning?: string;
  /** Rank of the first leaf; the others have 0. */
  readonly displayOrder?: number;
  readonly search?: (leaf: string) => ScienceSearch;
  /** Other values of some leaves. */
  readonly byLeaf?: Readonly<Record<string, Partial<DataSource>>>;
}

const MEANINGS: Readonly<Record<string, string>> = {
  'white-light': 'White Light',
  continuum: 'Intensitygram',
  magnetogram: 'Magnetogram',
};

export const ANGSTROM_EUV = '{} Ångström extreme ultraviolet';

export const level = (label: string, name: string, description: string, fitsName = name): LevelRow => ({
  label,
  name,
  fitsName,
  description,
});

/** Rows of one source, one row per level, numbered from 1. */
export const numbered = (rows: readonly LevelRow[]): Level[] => rows.map((row, i) => ({ order: i + 1, ...row }));

export const dataSource = (source: Common): DataSource => ({
  description: null,
  units: null,
  layeringOrder: 1,
  displayOrder: 0,
  colourTable: null,
  mask: null,
  search: null,
  knownGaps: [],
  statusName: levelName(source, 'Instrument') ?? null,
  statusHours: [2, 4, 12],
  ...source,
});

export const family = ({
  firstId,
  firstAliasId,
  above,
  leaves,
  leafLabel = 'Measurement',
  meaning,
  displayOrder = 0,
  search,
  byLeaf,
  ...common
}: Family): DataSource[] =>
  leaves.map((name, i) => {
    const fill = (text: string) => text.replace('{}', name);
    return dataSource({
      ...common,
      id: firstId + i,
      ...(firstAliasId === undefined ? {} : { aliasId: firstAliasId + i }),
      nickname: fill(common.nickname),
      description: common.description ? fill(common.description) : null,
      displayOrder: i === 0 ? displayOrder : 0,
      levels: numbered([...above, level(leafLabel, name, fill(meaning ?? MEANINGS[name] ?? name))]),
      colourTable: common.colourTable ? fill(common.colourTable) : null,
      search: search?.(name) ?? null,
      ...(common.product === undefined ? {} : { product: fill(common.product) }),
      ...byLeaf?.[name],
    });
  });

/** The nearest integer of a numeric text; other texts as they are. */
export function integerText(text: string | undefined, round = Math.round): string | undefined {
  const value = Number(text);
  return text && Number.isFinite(value) ? String(round(value)) : text;
}

export const measurement = ({ fits, helioviewer }: SourceHeader): string | undefined =>
  fits.get('WAVELNTH') ?? helioviewer.get('HV_MEASUREMENT');

/** Wavelength in whole angstroms: WAVELNTH, else the number of WAVE_STR, as `171_THIN`, else HV_MEASUREMENT. */
export function wavelength(header: SourceHeader): string | undefined {
  const filter = header.fits.has('WAVELNTH') ? undefined : /^\d+/.exec(header.fits.get('WAVE_STR') ?? '')?.[0];
  return integerText(filter ?? measurement(header));
}

const OBSERVABLES = [
  ['magnetogram', /magnetogram/i],
  ['continuum', /continuum|intensity/i],
  ['other', /doppler|velocity|line.?(width|depth)/i],
] as const;

/** The observable by the first keyword that names one, codes before prose; else by a unit of fields; else the first value present. */
export function observable({ fits, helioviewer }: SourceHeader): string | undefined {
  const own = helioviewer.get('HV_MEASUREMENT');
  const texts = [fits.get('DPC_OBSR'), own, fits.get('CONTENT'), fits.get('OBS_MODE')].filter((text) => text !== undefined);
  const named = texts.flatMap((text) => OBSERVABLES.find(([, pattern]) => pattern.test(text))?.[0] ?? []);
  return named[0] ?? (/^gauss$/i.test(fits.get('BUNIT') ?? '') ? 'magnetogram' : texts[0]);
}
