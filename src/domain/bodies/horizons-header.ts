// The header of a vector table of JPL Horizons (EPHEM_TYPE=VECTORS, CSV_FORMAT=YES).
import { Failure, shown } from '../errors.ts';

export interface HorizonsHeader {
  readonly units: 'AU-D' | 'KM-S' | 'KM-D';
  /** Whether the axes are those of the ecliptic instead of the equator of J2000. */
  readonly isEcliptic: boolean;
  /** Whether times are UT instead of TDB. */
  readonly isUtc: boolean;
}

const START = '$$SOE';
const SUN = 10;
const UNITS = ['AU-D', 'KM-S', 'KM-D'] as const;
/** Most lines of a header, with the description of the spacecraft. */
const MAX_LINES = 2000;
const FACT = /^([A-Za-z][A-Za-z -]{1,30}?)\s*:\s*(.+)$/;
const COLUMNS = /^JD(TDB|UT),CalendarDate\((TDB|UT)\),X,Y,Z,VX,VY,VZ(,|$)/;

export const isHorizons = (text: string): boolean => text.includes(START);

const refused = (what: string, name: string, got: unknown): Failure =>
  new Failure('bad-parameter', `Expected ${what} for "${name}" of the Horizons table, got ${shown(got)}.`);

/** The number in brackets before the source: `Sun (10)   {source: DE441}`. */
function bodyNumber(text: string | undefined): number | null {
  const match = /\((-?\d{1,9})\)\s*(\{|$)/.exec(text ?? '');
  return match ? Number(match[1]) : null;
}

function isEclipticFrame(facts: ReadonlyMap<string, string>): boolean {
  const frame = facts.get('Reference frame');
  const system = facts.get('Coordinate systm');
  if (frame?.startsWith('Ecliptic of J2000') || system?.startsWith('Ecliptic and Mean Equinox of Reference Epoch')) return true;
  if (frame?.startsWith('ICRF') && (system === undefined || system.startsWith('Earth Mean Equator'))) return false;
  throw refused('ICRF or Ecliptic of J2000.0', 'Reference frame', system ?? frame);
}

/**
 * Reads lines up to the start of the table.
 * @param naifId Number of the spacecraft that the table must be of
 * @throws Failure for another target, centre, unit, frame or form
 */
export function readHorizonsHeader(lines: Iterator<{ readonly text: string }>, naifId: number): HorizonsHeader {
  const facts = new Map<string, string>();
  let columns: string | null = null;
  for (let count = 0; ; count++) {
    const { value, done } = lines.next();
    if (done || count > MAX_LINES) {
      throw new Failure('bad-parameter', `The Horizons table has no ${START} in its first ${MAX_LINES} lines.`);
    }
    const text: string = value.text;
    if (text === START) break;
    const fact = FACT.exec(text);
    if (fact) facts.set(fact[1]!, fact[2]!.trim());
    if (text.startsWith('JD')) columns = text.replace(/\s/g, '');
  }
  const target = facts.get('Target body name');
  if (bodyNumber(target) !== naifId) throw refused(`a body with the number (${naifId})`, 'Target body name', target);
  const centre = facts.get('Center body name');
  if (bodyNumber(centre) !== SUN) throw refused('Sun (10)', 'Center body name', centre);
  const units = UNITS.find((known) => known === facts.get('Output units'));
  if (!units) throw refused('AU-D, KM-S or KM-D', 'Output units', facts.get('Output units'));
  const type = facts.get('Output type');
  if (!type?.startsWith('GEOMETRIC')) throw refused('GEOMETRIC cartesian states', 'Output type', type);
  const form = COLUMNS.exec(columns ?? '');
  if (!form) throw refused('JDTDB, Calendar Date (TDB), X, Y, Z, VX, VY, VZ (CSV_FORMAT=YES)', 'columns', columns);
  return { units, isEcliptic: isEclipticFrame(facts), isUtc: form[1] === 'UT' };
}
