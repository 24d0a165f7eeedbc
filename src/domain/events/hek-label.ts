// Labels of HEK events: a few columns, chosen by recognition method.
import { numberOf, type RawRecord, textOf } from './record.ts';

/** Name and text of a fact; the label has one line for each. */
export type LabelPart = readonly [name: string, text: string];

const GREEK: ReadonlyMap<string, string> = new Map([
  ['ALPHA', 'α'],
  ['BETA', 'β'],
  ['GAMMA', 'γ'],
  ['DELTA', 'δ'],
]);

/** Abbreviates `BETA-GAMMA-DELTA` to βγδ; other text is unchanged. */
function mountWilson(text: string): string {
  const letters = [...text.toUpperCase().matchAll(/ALPHA|BETA|GAMMA|DELTA/g)].map(([name]) => GREEK.get(name)!);
  return letters.join('') || text;
}

/** `1.2e10` */
function exponent(value: number | null): string {
  return value === null ? '' : value.toExponential(1).replace('e+', 'e');
}

/** Formats exponents of units: `km2` as km². */
const unit = (text: string) => text.replace(/2$/, '²').replace(/3$/, '³');

/** `value ± uncertainty unit`; empty without a value. */
function quantity(value: string, unitText: string, uncertainty = ''): string {
  if (value === '') return '';
  return [value, uncertainty && `± ${uncertainty}`, unit(unitText)].filter((part) => part !== '').join(' ');
}

function measured(record: RawRecord, value: string, unitKey: string, uncertainty = ''): string {
  return quantity(textOf(record, value), textOf(record, unitKey), uncertainty && textOf(record, uncertainty));
}

/** Last digits of the id that the method assigned, without leading zeros. */
function trailingNumber(record: RawRecord): string {
  return /(\d+)\D*$/.exec(textOf(record, 'frm_specificid'))?.[1]?.replace(/^0+(?=\d)/, '') ?? '';
}

const numbered = (name: string, number: string): LabelPart => [`${name} Identifier`, number && `${name} ${number}`];

/** Number of a NOAA region, from `14035` or `14,035`; null for none. */
export function noaaNumber(record: RawRecord): number | null {
  return numberOf({ number: textOf(record, 'ar_noaanum').replaceAll(',', '') }, 'number');
}

type Rule = (record: RawRecord) => readonly LabelPart[];

const noaaRegion: Rule = (record) => {
  const number = noaaNumber(record);
  return [
    ['AR', number ? `NOAA ${number}` : ''],
    ['Mt. Wilson Class.', mountWilson(textOf(record, 'ar_mtwilsoncls'))],
  ];
};

const goesClass: Rule = (record) => [['GOES Class', textOf(record, 'fl_goescls')]];

const velocity = (record: RawRecord, deviation = ''): LabelPart => [
  'Radial Lin. Vel.',
  measured(record, 'cme_radiallinvel', 'cme_radiallinvelunit', deviation),
];

const width: (record: RawRecord) => LabelPart = (record) => [
  'Angular Width',
  measured(record, 'cme_angularwidth', 'cme_angularwidthunit'),
];

const area = (record: RawRecord, uncertainty = ''): LabelPart => {
  const error = uncertainty && exponent(numberOf(record, uncertainty));
  return ['Area at Disk Center', quantity(exponent(numberOf(record, 'area_atdiskcenter')), textOf(record, 'area_unit'), error)];
};

/** Rules by pin; the first whose pattern matches the name of the method applies. */
const RULES: Readonly<Record<string, readonly (readonly [RegExp, Rule])[]>> = {
  AR: [
    [/NOAA/, noaaRegion],
    [/SHARP/, (record) => [numbered('HMI SHARP', trailingNumber(record))]],
    [/SPoCA/i, (record) => [numbered('SPoCA', trailingNumber(record))]],
    [/SMART/, (record) => [numbered('SMART', textOf(record, 'frm_specificid'))]],
  ],
  CE: [
    [/CACTus/i, (record) => [velocity(record, 'cme_radiallinvelstddev'), width(record)]],
    [/CDAW/, (record) => [velocity(record), width(record), ['Mass', measured(record, 'cme_mass', 'cme_massunit')]]],
  ],
  CH: [
    [/LMSAL/, (record) => [area(record)]],
    [/SPoCA/i, (record) => [numbered('SPoCA', trailingNumber(record))]],
  ],
  EF: [
    [
      /./,
      (record) => [
        area(record, 'area_atdiskcenteruncert'),
        ['Onset Flux', measured(record, 'ef_pospeakfluxonsetrate', 'ef_onsetrateunit')],
      ],
    ],
  ],
  FI: [[/AAFDCC/, (record) => [['Length', measured(record, 'fi_length', 'fi_lengthunit')]]]],
  FL: [
    [/Flare Detective/i, (record) => [['Peak Flux', measured(record, 'fl_peakflux', 'fl_peakfluxunit')]]],
    [/./, goesClass],
  ],
  SG: [[/./, (record) => [['Shape', textOf(record, 'sg_shape')]]]],
};

/** The facts of a label; the concept when there are none. */
export function hekLabelParts(record: RawRecord, concept: string): readonly LabelPart[] {
  const method = textOf(record, 'frm_name');
  const rule = (RULES[textOf(record, 'event_type')] ?? []).find(([pattern]) => pattern.test(method))?.[1];
  const parts = rule?.(record).filter(([, text]) => text !== '') ?? [];
  return parts.length > 0 ? parts : [['Event Type', concept]];
}
