// Reads tables of states: a CSV of this service, and vector tables of JPL Horizons in their CSV form.
import { DAY_MS, JULIAN_DAY_OF_1970, MINUTE_MS } from '../../platform/util/durations.ts';
import { Failure, shown } from '../../platform/util/errors.ts';
import { isoDay, parseRequestDate } from '../time.ts';
import { SPACECRAFT_FACTS, type Spacecraft } from './bodies.ts';
import { interpolated, KM_PER_AU, type State, type StateTable, tableOf } from './state-table.ts';
import { length, minus, scaled, type Vector } from './vector.ts';

/** How a table states positions, velocities and times. */
interface TableForm {
  /** Factors to au and au per day. */
  readonly position: number;
  readonly velocity: number;
  /** Whether the axes are those of the ecliptic instead of the equator of J2000. */
  readonly isEcliptic: boolean;
  /** Whether times are UT instead of TDB. */
  readonly isUtc: boolean;
}

const START = '$$SOE';
const SUN = 10;
/** Factors of positions and velocities by output units. */
const UNITS = new Map([
  ['AU-D', { position: 1, velocity: 1 }],
  ['KM-S', { position: 1 / KM_PER_AU, velocity: DAY_MS / 1000 / KM_PER_AU }],
  ['KM-D', { position: 1 / KM_PER_AU, velocity: 1 / KM_PER_AU }],
]);
/** Most lines of a header, with the description of the spacecraft. */
const MAX_LINES = 2000;
const FACT = /^([A-Za-z][A-Za-z -]{1,30}?)\s*:\s*(.+)$/;
const HEADER_COLUMNS = /^JD(TDB|UT),CalendarDate\((TDB|UT)\),X,Y,Z,VX,VY,VZ(,|$)/;

const refusedHeader = (what: string, name: string, got: unknown): Failure =>
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
  throw refusedHeader('ICRF or Ecliptic of J2000.0', 'Reference frame', system ?? frame);
}

/** Reads lines up to the table of the body `naifId`. @throws Failure for another target, centre, unit, frame or form */
function readHorizonsHeader(lines: Iterator<{ readonly text: string }>, naifId: number): TableForm {
  const facts = new Map<string, string>();
  let columns: string | null = null;
  for (let count = 0; ; count++) {
    const { value, done } = lines.next();
    if (done || count > MAX_LINES)
      throw new Failure('bad-parameter', `The Horizons table has no ${START} in its first ${MAX_LINES} lines.`);
    const text: string = value.text;
    if (text === START) break;
    const fact = FACT.exec(text);
    if (fact) facts.set(fact[1]!, fact[2]!.trim());
    if (text.startsWith('JD')) columns = text.replace(/\s/g, '');
  }
  const target = facts.get('Target body name');
  if (bodyNumber(target) !== naifId) throw refusedHeader(`a body with the number (${naifId})`, 'Target body name', target);
  const centre = facts.get('Center body name');
  if (bodyNumber(centre) !== SUN) throw refusedHeader('Sun (10)', 'Center body name', centre);
  const units = UNITS.get(facts.get('Output units') ?? '');
  if (!units) throw refusedHeader('AU-D, KM-S or KM-D', 'Output units', facts.get('Output units'));
  const type = facts.get('Output type');
  if (!type?.startsWith('GEOMETRIC')) throw refusedHeader('GEOMETRIC cartesian states', 'Output type', type);
  const form = HEADER_COLUMNS.exec(columns ?? '');
  if (!form) throw refusedHeader('JDTDB, Calendar Date (TDB), X, Y, Z, VX, VY, VZ (CSV_FORMAT=YES)', 'columns', columns);
  return { ...units, isEcliptic: isEclipticFrame(facts), isUtc: form[1] === 'UT' };
}

interface StateTableLimits {
  /** Rows of a table, and characters of one line. */
  readonly rows: number;
  readonly lineCharacters: number;
  /** Times of the rows, inclusive. */
  readonly firstMs: number;
  readonly lastMs: number;
}

const FIELDS = ['x', 'y', 'z', 'vx', 'vy', 'vz'] as const;
const COLUMNS = `time,${FIELDS.join(',')}`;
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** Fewest rows: with three, the one in the middle can be compared with its neighbours. */
const LEAST_ROWS = 3;
/** Speeds are below that of a fall to the surface of the Sun, au per day. */
const MAX_SPEED = 0.36;
const LEAST_STEP_MS = MINUTE_MS;
const LONGEST_STEP_MS = 4 * DAY_MS;
/** Deviation allowed from the interpolation between neighbours, au: 16 times the error between adjacent rows, 20 arcseconds at 1 au. */
const MAX_DEVIATION = 0.0016;

/** TDB minus UTC since 2017. It was up to 7 seconds less since SOHO began: 0.3 arcseconds of an orbit at 1 au. */
const TDB_AHEAD_MS = 69_184;
/** Obliquity of the ecliptic of J2000 in Horizons (IAU 1976), radians. */
const OBLIQUITY = ((84_381.448 / 3600) * Math.PI) / 180;

/** The CSV of this service: UTC, au and au per day on the axes of the ICRF. */
const PLAIN: TableForm = { position: 1, velocity: 1, isEcliptic: false, isUtc: true };

function toEquator([x, y, z]: Vector): Vector {
  const [sin, cos] = [Math.sin(OBLIQUITY), Math.cos(OBLIQUITY)];
  return [x, cos * y - sin * z, sin * y + cos * z];
}

const refused = (what: string, name: string, line: number, got: unknown): Failure =>
  new Failure('bad-parameter', `Expected ${what} for ${name} in line ${line}, got ${shown(got)}.`);

interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/** The lines of a text, one at a time, because a table of a mission has tens of thousands. */
function* linesOf(text: string, { lineCharacters }: StateTableLimits): Generator<Line> {
  let [number, start] = [1, 0];
  while (start <= text.length) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    if (end - start > lineCharacters) throw refused(`at most ${lineCharacters} characters`, 'the length', number, end - start);
    yield { number, text: text.slice(start, end).trim() };
    number += 1;
    start = end + 1;
  }
}

function numberOf(text: string | undefined, name: string, line: number): number {
  const trimmed = text?.trim();
  const value = trimmed !== undefined && DECIMAL.test(trimmed) ? Number(trimmed) : Number.NaN;
  if (!Number.isFinite(value)) throw refused('a finite number', name, line, trimmed);
  return value;
}

/** The state of a line: its time, and six numbers in columns from `first` on. */
function stateOf(columns: readonly string[], first: number, atMs: number, form: TableForm, line: number): State {
  const [x, y, z, vx, vy, vz] = FIELDS.map((name, i) => numberOf(columns[first + i], name, line));
  const frame = (vector: Vector): Vector => (form.isEcliptic ? toEquator(vector) : vector);
  return {
    atMs,
    position: scaled(frame([x!, y!, z!]), form.position),
    velocity: scaled(frame([vx!, vy!, vz!]), form.velocity),
  };
}

function plainState({ text, number }: Line): State {
  const columns = text.split(',');
  if (columns.length !== FIELDS.length + 1) throw refused(`${FIELDS.length + 1} columns`, 'the row', number, columns.length);
  const atMs = parseRequestDate(columns[0]!.trim());
  if (atMs === null) throw refused('a UTC date like 2024-01-31T12:00:00Z', 'time', number, columns[0]!.trim());
  return stateOf(columns, 1, atMs, PLAIN, number);
}

/** A line of Horizons: Julian day, calendar date, position, velocity, and further columns. */
function horizonsState({ text, number }: Line, form: TableForm): State {
  const columns = text.split(',');
  const julianDay = numberOf(columns[0], form.isUtc ? 'JDUT' : 'JDTDB', number);
  const ms = (julianDay - JULIAN_DAY_OF_1970) * DAY_MS - (form.isUtc ? 0 : TDB_AHEAD_MS);
  return stateOf(columns, 2, Math.round(ms), form, number);
}

function* statesOf(text: string, spacecraft: Spacecraft, limits: StateTableLimits): Generator<{ state: State; line: number }> {
  const lines = linesOf(text, limits);
  if (text.includes(START)) {
    const form = readHorizonsHeader(lines, SPACECRAFT_FACTS[spacecraft].naifId);
    for (const line of lines) {
      if (line.text === '$$EOE') return;
      yield { state: horizonsState(line, form), line: line.number };
    }
    throw new Failure('bad-parameter', 'The table ends without $$EOE. Import the whole answer of Horizons.');
  }
  let hasColumns = false;
  for (const line of lines) {
    if (line.text === '' || line.text.startsWith('#')) continue;
    if (!hasColumns && line.text.toLowerCase().replace(/\s/g, '') !== COLUMNS)
      throw refused(COLUMNS, 'the columns', line.number, line.text);
    if (hasColumns) yield { state: plainState(line), line: line.number };
    hasColumns = true;
  }
}

/** @throws Failure for a state that cannot follow `last`, or cannot be one of the spacecraft */
function checkState(state: State, last: State | undefined, spacecraft: Spacecraft, limits: StateTableLimits, line: number): void {
  const { atMs, position, velocity } = state;
  if (!(atMs >= limits.firstMs && atMs <= limits.lastMs)) {
    const range = [limits.firstMs, limits.lastMs].map(isoDay).join(' to ');
    throw refused(`a time from ${range}`, 'time', line, atMs);
  }
  const stepMs = last ? atMs - last.atMs : LEAST_STEP_MS;
  if (stepMs < LEAST_STEP_MS) throw refused('a time at least a minute after the last one', 'time', line, `${stepMs} ms after it`);
  if (stepMs > LONGEST_STEP_MS)
    throw refused('a time within 4 days of the last one', 'time', line, `${(stepMs / DAY_MS).toFixed(2)} days after it`);
  const [min, max] = SPACECRAFT_FACTS[spacecraft].distanceAu;
  const distance = length(position);
  if (!(distance >= min && distance <= max))
    throw refused(`${min} to ${max} au from the Sun`, 'x, y, z', line, `${distance.toPrecision(4)} au`);
  const speed = length(velocity);
  if (!(speed <= MAX_SPEED)) throw refused(`at most ${MAX_SPEED} au per day`, 'vx, vy, vz', line, `${speed.toPrecision(4)}`);
}

/** Compares velocities too, since a fault of all leaves the path in place. @throws Failure for a row that contradicts its neighbours */
function checkDeviation(before: State, state: State, after: State, line: number): void {
  const expected = interpolated(before, after, state.atMs);
  const stepDays = (after.atMs - before.atMs) / 2 / DAY_MS;
  const deviations = [
    ['x, y, z', length(minus(state.position, expected.position))],
    ['vx, vy, vz', length(minus(state.velocity, expected.velocity)) * stepDays],
  ] as const;
  const what = `a state within ${MAX_DEVIATION} au of the path between its neighbours (narrower steps, other units)`;
  for (const [name, deviation] of deviations)
    if (!(deviation <= MAX_DEVIATION)) throw refused(what, name, line, `${deviation.toPrecision(3)} au beside it`);
}

/** Parses a table of states. @throws Failure for the first line that is at fault, by its number and column */
export function parseStates(text: string, spacecraft: Spacecraft, limits: StateTableLimits): StateTable {
  const states: State[] = [];
  let lastLine = 0;
  for (const { state, line } of statesOf(text, spacecraft, limits)) {
    checkState(state, states.at(-1), spacecraft, limits, line);
    if (states.length >= 2) checkDeviation(states.at(-2)!, states.at(-1)!, state, lastLine);
    if (states.length >= limits.rows)
      throw new Failure('bad-parameter', `The table has more than ${limits.rows} rows. Import a part of it.`);
    states.push(state);
    lastLine = line;
  }
  if (states.length < LEAST_ROWS)
    throw new Failure('bad-parameter', `The table needs at least ${LEAST_ROWS} rows after ${COLUMNS}, and has ${states.length}.`);
  return tableOf(states);
}
