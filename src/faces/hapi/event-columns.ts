// Events as records of HAPI: what all types have, and the values that the sources measure for each type.
import { bestAnalysis } from '../../events/records/donki-cme.ts';
import { numberOf, type RawRecord, textOf } from '../../events/records/record.ts';
import { flareStrength } from '../../events/records/strength.ts';
import type { SolarEvent } from '../../sun/events/solar-event.ts';
import { formatHapiTime } from './hapi-time.ts';
import {
  DRAWN_FLUX,
  DRAWN_SHARE,
  FILL_NUMBER,
  fitted,
  type HapiParameter,
  type HapiRecord,
  numberParameter,
  TIME,
  textParameter,
} from './parameters.ts';

/** Stands for a time that is not known: the last one that has the length of the others. */
const FILL_TIME = '9999-12-31T23:59:59.999999Z';

/** A parameter, and its value in the record of a source; null where it is not known. */
type Column = readonly [HapiParameter, (record: RawRecord) => string | number | null];

/** The first value of some columns, as a number. */
const number = (name: string, units: string | null, description: string, ...keys: readonly string[]): Column => [
  numberParameter(name, units, description),
  (record) => keys.map((key) => numberOf(record, key)).find((value) => value !== null) ?? null,
];

const text = (name: string, length: number, description: string, key: string): Column => [
  textParameter(name, length, description),
  (record) => textOf(record, key),
];

const withUnit = (name: string, description: string, key: string, unitKey: string): readonly Column[] => [
  number(name, null, `${description}, in ${name}_unit.`, key),
  text(`${name}_unit`, 20, `Unit of ${name} in the words of the source.`, unitKey),
];

/** A probability; other numbers stand for a missing one. */
const chance = (key: string, name: string, classes: string): Column => {
  const [parameter, read] = number(name, 'dimensionless', `Probability of flares of class ${classes}, 0 to 1.`, key);
  const within = (value: string | number | null) => (typeof value === 'number' && value >= 0 && value <= 1 ? value : null);
  return [{ ...parameter, jhvparams: DRAWN_SHARE }, (record) => within(read(record))];
};

const flareClass = (key: string): readonly Column[] => [
  text('goes_class', 8, 'GOES class.', key),
  [
    {
      ...numberParameter('goes_flux', 'W/m2', 'Peak flux from 0.1 to 0.8 nm that the GOES class states.'),
      jhvparams: DRAWN_FLUX,
    },
    (record) => flareStrength(textOf(record, key))?.value ?? null,
  ],
];

const ofAnalysis = ([parameter, read]: Column): Column => [
  parameter,
  (record) => {
    const analysis = bestAnalysis(record);
    return analysis ? read(analysis) : null;
  },
];

const AREA = withUnit('area', 'Area, as if at the centre of the disc', 'area_atdiskcenter', 'area_unit');

/** Columns by pin, and by the type of an event of DONKI. */
const MEASURED: Readonly<Record<string, readonly Column[]>> = {
  AR: [
    number('noaa_region', null, 'Number of NOAA.', 'ar_noaanum'),
    text('mcintosh_class', 8, 'McIntosh class.', 'ar_mcintoshcls'),
    text('magnetic_class', 32, 'Mount Wilson class.', 'ar_mtwilsoncls'),
    number('spots', 'dimensionless', 'Number of sunspots.', 'ar_numspots'),
    ...AREA,
  ],
  CE: [
    ...withUnit('speed', 'Radial speed', 'cme_radiallinvel', 'cme_radiallinvelunit'),
    ...withUnit('width', 'Angular width', 'cme_angularwidth', 'cme_angularwidthunit'),
    ...withUnit('mass', 'Mass', 'cme_mass', 'cme_massunit'),
  ],
  CH: AREA,
  EF: [...AREA, ...withUnit('onset_rate', 'Greatest rate of the positive flux', 'ef_pospeakfluxonsetrate', 'ef_onsetrateunit')],
  FI: [
    ...withUnit('length', 'Length', 'fi_length', 'fi_lengthunit'),
    number('tilt', 'deg', 'Tilt against the equator.', 'fi_tilt'),
    number('barbs', 'dimensionless', 'Number of barbs.', 'fi_numbarbs'),
  ],
  FL: [...flareClass('fl_goescls'), ...withUnit('peak_flux', 'Peak flux of the method', 'fl_peakflux', 'fl_peakfluxunit')],
  SG: [text('shape', 20, 'Shape.', 'sg_shape')],
  C3_CE: [
    number('speed', 'km/s', 'Speed of the most accurate analysis.', 'speed'),
    number('half_angle', 'deg', 'Half angle.', 'halfAngle'),
    text('speed_class', 8, 'Class of the speed (S, C, O, R, ER).', 'type'),
  ].map(ofAnalysis),
  C3_FL: [...flareClass('classType'), number('noaa_region', null, 'Number of NOAA.', 'activeRegionNum')],
  FP: [
    chance('C', 'C', 'C'),
    chance('CPlus', 'C_plus', 'C and above'),
    chance('M', 'M', 'M'),
    chance('MPlus', 'M_plus', 'M and above'),
    chance('X', 'X', 'X'),
  ],
  F2: [
    number('peak_rate', 'ct/s', 'Peak count rate.', 'peakrate'),
    number('counts', 'ct', 'Counts.', 'totalcounts'),
    text('energy_band', 16, 'Highest energy band with counts, keV.', 'hi_band'),
  ],
};

const isotime = (name: string, fill: string | null, description: string): HapiParameter => ({ ...TIME, name, fill, description });
const COMMON: readonly HapiParameter[] = [
  {
    ...TIME,
    description:
      'Start, and a millisecond more for each other event of the list before it that starts at the same time, because times of HAPI increase.',
  },
  isotime('start', null, 'Start.'),
  isotime('end', null, 'End.'),
  isotime('peak', FILL_TIME, 'Time of the peak.'),
  textParameter('id', 300, 'Id of the event at its source.'),
  textParameter('method', 80, 'Recognition method, model or catalogue.'),
  textParameter('label', 160, 'Measured values in words.'),
  numberParameter('x', 'arcsec', 'Measured position to the west, as seen from the Earth.'),
  numberParameter('y', 'arcsec', 'Measured position to the north.'),
  numberParameter('longitude', 'deg', 'Measured position, Stonyhurst, to the west.'),
  numberParameter('latitude', 'deg', 'Measured position, Stonyhurst, to the north.'),
];

/** A list of events: those of a pin, of DONKI those of a type. */
export interface EventList {
  readonly pin: string;
  /** Null: all types of the pin. */
  readonly type: string | null;
}

const columnsOf = ({ pin, type }: EventList) => MEASURED[type === null ? pin : `${pin}_${type}`] ?? [];

export const eventParameters = (list: EventList): readonly HapiParameter[] => [
  ...COMMON,
  ...columnsOf(list).map(([parameter]) => parameter),
];

function filled({ type, length }: HapiParameter, value: string | number | null): string | number {
  if (type === 'string') return fitted(String(value ?? ''), length!);
  return value ?? FILL_NUMBER;
}

/** The record of an event, without its time in the list. */
export function eventValues(list: EventList, event: SolarEvent): HapiRecord {
  const { id, startMs, endMs, peakMs, group, shortLabel, position, raw } = event;
  const isOnSky = position.kind === 'helioprojective';
  const common: Record<string, string | number | null> = {
    id,
    method: group.name,
    label: shortLabel,
    x: isOnSky ? position.x : null,
    y: isOnSky ? position.y : null,
    longitude: isOnSky ? numberOf(raw, 'hgs_x') : position.longitude,
    latitude: isOnSky ? numberOf(raw, 'hgs_y') : position.latitude,
  };
  const entries = [
    ...COMMON.filter(({ name }) => name in common).map((parameter) => [
      parameter.name,
      filled(parameter, common[parameter.name]!),
    ]),
    ...columnsOf(list).map(([parameter, read]) => [parameter.name, filled(parameter, read(raw))]),
  ];
  const times = {
    start: formatHapiTime(startMs),
    end: formatHapiTime(endMs),
    peak: peakMs === null ? FILL_TIME : formatHapiTime(peakMs),
  };
  return { ...times, ...Object.fromEntries(entries) };
}
