// Measured values of events with units, from the columns of their sources.

export type FactValue =
  | { readonly text: string }
  /** `spread`: standard deviation; `digits`: significant ones. */
  | { readonly value: number; readonly unit: string; readonly digits: number; readonly spread?: number };

type Columns = Readonly<Record<string, unknown>>;

const SIGNIFICANT = 3;
/** Ångström in units of wavelengths. */
const ANGSTROM: Readonly<Record<string, number>> = { cm: 1e8, Angstrom: 1 };
const METRES_PER_MM = 1e6;
/** Units of the HEK as they are printed. MSH: millionths of the solar hemisphere. */
const UNITS: Readonly<Record<string, string>> = { Mm2: 'Mm²', MSH: 'µHem', degrees: '°', 'km/s': 'km/s' };
const GREEK: Readonly<Record<string, string>> = { alpha: 'α', beta: 'β', gamma: 'γ', delta: 'δ' };

function textIn(columns: Columns, names: readonly string[]): string | null {
  const value = names.map((name) => columns[name]).find((one) => one !== null && one !== undefined && one !== '');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

function numberIn(columns: Columns, ...names: readonly string[]): number | null {
  const text = textIn(columns, names);
  const value = text === null ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

const inWords =
  (...names: readonly string[]) =>
  (columns: Columns): FactValue | null => {
    const text = textIn(columns, names);
    return text === null ? null : { text };
  };

const quantity =
  (unit: string, digits = SIGNIFICANT, factor = 1) =>
  (...names: readonly string[]) =>
  (columns: Columns): FactValue | null => {
    const value = numberIn(columns, ...names);
    return value === null ? null : { value: value * factor, unit, digits };
  };

const [degrees, percent, counted] = [quantity('°'), quantity('%', SIGNIFICANT, 100), quantity('', 21)];

const FACTS = {
  flareClass: inWords('fl_goescls', 'Class'),
  peakFlux: quantity('W/m²')('fl_peakflux'),
  speed(columns) {
    const value = numberIn(columns, 'cme_radiallinvel', 'Speed');
    const spread = numberIn(columns, 'cme_radiallinvelstddev');
    return value === null ? null : { value, unit: 'km/s', digits: 4, ...(spread ? { spread } : {}) };
  },
  width: degrees('cme_angularwidth'),
  halfAngle: degrees('Half Angle'),
  direction(columns) {
    const [longitude, latitude] = [numberIn(columns, 'Longitude'), numberIn(columns, 'Latitude')];
    if (longitude === null || latitude === null) return null;
    const side = (value: number, sides: string) => `${sides[value < 0 ? 1 : 0]}${Math.abs(value)}°`;
    return { text: `${side(latitude, 'NS')} ${side(longitude, 'WE')}` };
  },
  arrival: inWords('Shock Arrival Time'),
  region: counted('ar_noaanum', 'Active Region', 'NOAARegionId', 'CataniaRegionId', 'ModelRegionId'),
  magneticClass(columns) {
    const text = textIn(columns, ['ar_mtwilsoncls']);
    const inGreek = (word: string) => GREEK[word.toLowerCase()] ?? '';
    return text === null ? null : { text: text.replace(/alpha|beta|gamma|delta|[-_ ]/gi, inGreek) };
  },
  spotClass: inWords('ar_mcintoshcls'),
  spots: counted('ar_numspots'),
  spotArea: quantity('µHem')('ar_spotarearepr'),
  area(columns) {
    const value = numberIn(columns, 'area_atdiskcenter');
    const unit = textIn(columns, ['area_unit']) ?? '';
    return value === null ? null : { value, unit: UNITS[unit] ?? unit, digits: SIGNIFICANT };
  },
  length(columns) {
    const metres = textIn(columns, ['fi_lengthunit']) === 'm' ? numberIn(columns, 'fi_length') : null;
    return metres === null ? null : { value: metres / METRES_PER_MM, unit: 'Mm', digits: SIGNIFICANT };
  },
  tilt: degrees('fi_tilt'),
  barbs: counted('fi_numbarbs'),
  chanceC: percent('C', 'CPlus'),
  chanceM: percent('M', 'MPlus'),
  chanceX: percent('X'),
  peakRate: quantity('/s')('peakrate'),
  energyBand: (columns) => (textIn(columns, ['hi_band']) === null ? null : { text: `${columns.hi_band} keV` }),
  observedBy(columns) {
    const names = [textIn(columns, ['obs_observatory']), textIn(columns, ['obs_instrument'])].filter((name) => name !== null);
    if (names.length === 0) return inWords('Instruments')(columns);
    const unit = textIn(columns, ['obs_wavelunit']) ?? '';
    const angstrom = (numberIn(columns, 'obs_meanwavel') ?? 0) * (ANGSTROM[unit] ?? 0);
    const text = [...new Set(names)].join(' ');
    return { text: angstrom ? `${text}, ${Number(angstrom.toPrecision(4))} Å` : text };
  },
} satisfies Readonly<Record<string, (columns: Columns) => FactValue | null>>;

/** The measured values of an event, in the order of their weight. @param columns Names and values as its source has them */
export function factsOf(columns: Columns): ({ readonly name: keyof typeof FACTS } & FactValue)[] {
  return Object.entries(FACTS).flatMap(([name, read]) => {
    const value = read(columns);
    return value === null ? [] : [{ name: name as keyof typeof FACTS, ...value }];
  });
}
