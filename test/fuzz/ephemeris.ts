// Fuzzes the parser of tables of states: a table that is accepted has finite states in the order of time, and every position within it.
import { STATE_TABLES } from '../../src/platform/limits/bodies.ts';
import { HOUR_MS } from '../../src/platform/util/durations.ts';
import { Failure } from '../../src/platform/util/errors.ts';
import { SPACECRAFT } from '../../src/sun/bodies/bodies.ts';
import { parseStates } from '../../src/sun/bodies/parse-states.ts';
import { type StateTable, tableFrom } from '../../src/sun/bodies/state-table.ts';
import { length } from '../../src/sun/bodies/vector.ts';
import { DIVING, horizonsTable, plainTable } from '../support/bodies/kepler.ts';
import type { FuzzTarget } from './fuzzer.ts';
import { mutate, pick, type Random } from './mutate.ts';

const SPAN = { fromMs: DIVING.perihelionMs - 60 * HOUR_MS, toMs: DIVING.perihelionMs + 60 * HOUR_MS, stepMs: 6 * HOUR_MS };
const FRAGMENTS = [
  ...'$$SOE $$EOE , 1e308 -1e-308 NaN Infinity 0x1 #'.split(' '),
  ...['\n', '\r\n', ' ', '\0', 'time,x,y,z,vx,vy,vz\n'],
];
const SENTENCE = /^(?:Expected .+ for .+, got .+|The (?:Horizons )?table .+)\.$/s;

function check(text: string, random: Random): void {
  const spacecraft = pick(random, SPACECRAFT);
  let table: StateTable;
  try {
    table = parseStates(text, random() < 0.8 ? 'psp' : spacecraft, STATE_TABLES);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'bad-parameter') throw error;
    if (!SENTENCE.test(error.message))
      throw new Error(`Expected a sentence of the usual form, got ${error.message}`, { cause: error });
    return;
  }
  const orbit = table.orbit();
  for (let i = 0; i < table.count; i++) {
    const { atMs } = table.state(i);
    if (i > 0 && atMs <= table.state(i - 1).atMs) throw new Error(`Expected ascending times, got ${atMs} in row ${i}.`);
    const distance = length(orbit.positionAt(atMs) ?? [Number.NaN, 0, 0]);
    if (!(distance > 0.01 && distance < 2)) throw new Error(`Expected a place of a spacecraft in row ${i}, got ${distance} au.`);
  }
  if (!tableFrom(table.bytes())) throw new Error('Expected a table that can be stored, got one that cannot be read back.');
}

export const ephemerisTarget: FuzzTarget = () => {
  const bytes = new TextEncoder();
  const tables = [plainTable(DIVING, SPAN), horizonsTable(DIVING, SPAN), horizonsTable(DIVING, SPAN, { units: 'KM-S' })];
  return (random) => {
    const table = pick(random, tables);
    const at = Math.floor(random() * table.length);
    const inserted = () =>
      table.slice(0, at) + pick(random, FRAGMENTS) + pick(random, FRAGMENTS) + table.slice(at + Math.floor(random() * 9));
    const damaged = () =>
      new TextDecoder('latin1').decode(mutate(bytes.encode(table), bytes.encode(pick(random, tables)), random));
    check(random() < 0.5 ? inserted() : damaged(), random);
  };
};
