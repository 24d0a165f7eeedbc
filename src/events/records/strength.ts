// What was measured of an event that tells how strong it is among those of its type.
import type { EventStrength, SolarEvent } from '../../sun/events/solar-event.ts';
import { FLUX_CLASSES } from '../../sun/events/x-ray-flux.ts';
import { bestAnalysis } from './donki.ts';
import { mountWilson, noaaNumber } from './hek.ts';
import { numberOf, type RawRecord, textOf } from './record.ts';

const GOES_CLASS = new RegExp(`\\b([${FLUX_CLASSES.map(([letter]) => letter).join('')}])(\\d+(?:\\.\\d+)?)\\b`);

/** The peak flux that a GOES class states; null for other text. */
export function flareStrength(goesClass: string): EventStrength | null {
  const [text, letter, number] = GOES_CLASS.exec(goesClass) ?? [];
  const [, from] = FLUX_CLASSES.find(([name]) => name === letter) ?? [];
  return text && from ? { value: from * Number(number), unit: 'W/m2', text } : null;
}

const positive = (value: number | null, unit: 'km/s' | 'm'): EventStrength | null =>
  value !== null && value > 0 ? { value, unit, text: `${value} ${unit}` } : null;

const inUnit = (record: RawRecord, key: string, unitKey: string, unit: 'km/s' | 'm') =>
  textOf(record, unitKey) === unit ? positive(numberOf(record, key), unit) : null;

/** Mount Wilson classes by complexity: each Greek letter counts, δ most. */
function regionStrength(record: RawRecord): EventStrength | null {
  if (!/NOAA/.test(textOf(record, 'frm_name')) || !noaaNumber(record)) return null;
  const text = mountWilson(textOf(record, 'ar_mtwilsoncls'));
  return { value: [...text].reduce((sum, letter) => sum + ({ β: 1, γ: 2, δ: 4 }[letter] ?? 0), 1), unit: null, text };
}

const STRENGTHS: Readonly<Record<string, (record: RawRecord) => EventStrength | null>> = {
  FL: (record) => flareStrength(textOf(record, 'fl_goescls')),
  CE: (record) => inUnit(record, 'cme_radiallinvel', 'cme_radiallinvelunit', 'km/s'),
  AR: regionStrength,
  FI: (record) => inUnit(record, 'fi_length', 'fi_lengthunit', 'm'),
  C3_CE: (record) => positive(numberOf(bestAnalysis(record) ?? {}, 'speed'), 'km/s'),
  C3_FL: (record) => flareStrength(textOf(record, 'classType')),
};

/** Null for an event of another type, or without a measurement. DONKI has several types under one pin. */
export const eventStrength = ({ pin, type, raw }: Pick<SolarEvent, 'pin' | 'type' | 'raw'>): EventStrength | null =>
  (STRENGTHS[pin === 'C3' ? `C3_${type}` : pin] ?? (() => null))(raw);
