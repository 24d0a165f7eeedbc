import { expect, it } from 'vitest';
import { BODY_TIMES, STATE_TABLES } from '../../../src/platform/limits/bodies.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../src/platform/util/durations.ts';
import { adjacentConjunctionMs, conjunctionAt, inView, trajectory } from '../../../src/sun/bodies/conjunctions.ts';
import { parseStates } from '../../../src/sun/bodies/parse-states.ts';
import { solarSystemOf } from '../../../src/sun/bodies/solar-system.ts';
import { tableFrom, tableOf } from '../../../src/sun/bodies/state-table.ts';
import { length, minus, type Vector } from '../../../src/sun/bodies/vector.ts';
import { AHEAD, DIVING, equatorialState, horizonsTable, plainTable } from '../../support/bodies/kepler.ts';

const SPAN = { fromMs: Date.UTC(2024, 9, 1), toMs: Date.UTC(2025, 8, 1), stepMs: 6 * HOUR_MS };
const AU_KM = 149_597_870.7;
const parse = (text: string) => parseStates(text, 'psp', STATE_TABLES);
const times = Array.from({ length: 700 }, (_, i) => SPAN.fromMs + (i + 0.37) * 0.478 * DAY_MS);
const ahead = parseStates(plainTable(AHEAD, { ...SPAN, stepMs: DAY_MS }), 'stereo_a', STATE_TABLES);

const table = parse(plainTable(DIVING, SPAN));
const orbit = table.orbit();
const error = (atMs: number) => length(minus(orbit.positionAt(atMs)!, equatorialState(DIVING, atMs).position));

it('the orbit of a table stays within 2000 km of the true orbit between rows of 6 hours, also at a perihelion of 10 solar radii', () => {
  expect(Math.max(...times.map(error)) * AU_KM).toBeLessThan(2000);
});

it('the orbit of a table has the speed of the vis-viva equation, passes through its rows, and ends at the last ones', () => {
  for (const atMs of times) {
    const distance = length(orbit.positionAt(atMs)!);
    const speed = Math.sqrt(887.1287 * (2 / distance - 2 / (0.0459 + 0.73)));
    expect(Math.abs(orbit.speedAt!(atMs)! - speed)).toBeLessThan(0.3);
    expect(orbit.speedAt!(atMs)! / (AU_KM / 86_400)).toBeLessThan(orbit.maxSpeed);
  }
  const { atMs, position } = table.state(41);
  expect(orbit.positionAt(atMs)).toEqual(position);
  expect(orbit.positionAt(SPAN.fromMs)).not.toBeNull();
  expect(orbit.positionAt(SPAN.fromMs - 1)).toBeNull();
  expect(orbit.positionAt(table.lastMs)).not.toBeNull();
  expect(orbit.positionAt(table.lastMs + 1)).toBeNull();
  expect(orbit.speedAt!(table.lastMs + 1)).toBeNull();
});

it('the orbit of a table survives storing', () => {
  const stored = tableFrom(table.bytes())!;
  expect(stored.count).toBe(table.count);
  expect(stored.state(7)).toEqual(table.state(7));
  expect(tableFrom(table.bytes().subarray(1))).toBeNull();
  expect(tableFrom(table.bytes().subarray(0, 56))).toBeNull();
  const reversed = tableOf([table.state(2), table.state(1)]);
  expect(tableFrom(reversed.bytes())).toBeNull();
  const broken = tableOf([table.state(1), { ...table.state(2), position: [Number.NaN, 0, 0] }]);
  expect(tableFrom(broken.bytes())).toBeNull();
});

const plain = parse(plainTable(DIVING, SPAN));
const samePlace = (a: Vector, b: Vector) => length(minus(a, b)) * AU_KM;

it.each([
  ['AU-D', 'ICRF'],
  ['KM-S', 'ICRF'],
  ['KM-S', 'Ecliptic of J2000.0'],
  ['AU-D', 'Ecliptic of J2000.0'],
])('tables of JPL Horizons give the same orbit as the CSV of this service: %s, axes of %s', (units, frame) => {
  const table = parse(horizonsTable(DIVING, SPAN, { units, frame }));
  expect(table.count).toBe(plain.count);
  for (const i of [0, 100, 335, table.count - 1]) {
    expect(Math.abs(table.state(i).atMs - plain.state(i).atMs)).toBeLessThanOrEqual(1);
    expect(samePlace(table.state(i).position, plain.state(i).position)).toBeLessThan(10);
    expect(samePlace(table.state(i).velocity, plain.state(i).velocity)).toBeLessThan(40);
  }
});

const text = horizonsTable(DIVING, SPAN);
it.each<[string, string, string]>([
  ['another body', text.replace('(-96)', '(-234)'), 'Expected a body with the number (-96) for "Target body name"'],
  ['another centre', text.replace('Sun (10)', 'Earth (399)'), 'Expected Sun (10) for "Center body name"'],
  ['unknown units', text.replace('AU-D', 'FURLONG'), 'Expected AU-D, KM-S or KM-D for "Output units"'],
  ['wrong units', text.replace('AU-D', 'KM-S'), 'Expected 0.04 to 1.05 au from the Sun for x, y, z in line 16'],
  ['an unknown frame', text.replace('ICRF', 'FK4'), 'Expected ICRF or Ecliptic of J2000.0 for "Reference frame"'],
  ['apparent states', text.replace('GEOMETRIC', 'LT'), 'Expected GEOMETRIC cartesian states for "Output type"'],
  ['another form', text.replace('JDTDB,', 'JDTDB'), 'Expected JDTDB, Calendar Date (TDB), X, Y, Z, VX, VY, VZ'],
  ['no end', text.replace('$$EOE', ''), 'Expected a finite number for JDTDB'],
  ['a cut end', text.slice(0, text.indexOf('\n', 30_000)), 'The table ends without $$EOE. Import the whole answer of Horizons.'],
])('tables of JPL Horizons raise an error for %s', (_name, damaged, sentence) => {
  expect(() => parse(damaged)).toThrow(sentence);
});

const good = plainTable(DIVING, { ...SPAN, toMs: SPAN.fromMs + 10 * DAY_MS }).split('\n');
const withLine = (number: number, change: (columns: string[]) => string[]) =>
  good.map((line, i) => (i + 1 === number ? change(line.split(',')).join(',') : line)).join('\n');

it.each<[string, string, string]>([
  ['an empty table', '', 'The table needs at least 3 rows after time,x,y,z,vx,vy,vz, and has 0.'],
  ['other columns', 'x,y,z', 'Expected time,x,y,z,vx,vy,vz for the columns in line 1, got x,y,z.'],
  ['two rows', good.slice(0, 4).join('\n'), 'The table needs at least 3 rows after time,x,y,z,vx,vy,vz, and has 2.'],
  ['a word', withLine(7, (c) => c.with(4, 'fast')), 'Expected a finite number for vx in line 7, got fast.'],
  ['an empty column', withLine(7, (c) => c.with(3, '')), 'Expected a finite number for z in line 7, got an empty value.'],
  ['seven columns less one', withLine(9, (c) => c.slice(1)), 'Expected 7 columns for the row in line 9, got 6.'],
  [
    'another date',
    withLine(9, (c) => c.with(0, '2024')),
    'Expected a UTC date like 2024-01-31T12:00:00Z for time in line 9, got 2024.',
  ],
  ['a date that does not exist', withLine(9, (c) => c.with(0, '2024-02-30T00:00:00Z')), 'for time in line 9'],
  [
    'a date of another age',
    withLine(3, (c) => c.with(0, '1700-01-01T00:00:00Z')),
    'Expected a time from 1900-01-01 to 2100-01-01 for time in line 3',
  ],
  [
    'a repeated row',
    [...good.slice(0, 9), good[8], ...good.slice(9)].join('\n'),
    'Expected a time at least a minute after the last one for time in line 10, got 0 ms after it.',
  ],
  [
    'a gap',
    [...good.slice(0, 9), ...good.slice(27)].join('\n'),
    'Expected a time within 4 days of the last one for time in line 10, got 4.75 days after it.',
  ],
  ['a far place', withLine(8, (c) => c.with(1, '7')), 'Expected 0.04 to 1.05 au from the Sun for x, y, z in line 8, got 7.'],
  ['a great speed', withLine(8, (c) => c.with(4, '7')), 'Expected at most 0.36 au per day for vx, vy, vz in line 8, got 7.'],
  [
    'a row beside the path',
    withLine(8, (c) => c.with(1, String(Number(c[1]) + 0.01))),
    'Expected a state within 0.0016 au of the path between its neighbours',
  ],
  [
    'velocities of the other direction',
    good
      .map((line) =>
        /^\d/.test(line)
          ? [
              ...line.split(',').slice(0, 4),
              ...line
                .split(',')
                .slice(4)
                .map((v) => -Number(v)),
            ].join()
          : line,
      )
      .join('\n'),
    'within 0.0016 au of the path between its neighbours (narrower steps, other units) for vx, vy, vz in line 4',
  ],
  ['a long line', `${good[0]}${'#'.repeat(1000)}\n`, 'Expected at most 1000 characters for the length in line 1'],
])('the validation of a table refuses %s by line and column', (_name, text, sentence) => {
  expect(() => parse(text)).toThrow(sentence);
});

it('the validation of a table refuses another mission, more rows than the limit, and steps too wide for a perihelion', () => {
  expect(() => parseStates(good.join('\n'), 'stereo_a', STATE_TABLES)).toThrow(
    'Expected 0.93 to 1.05 au from the Sun for x, y, z in line 3, got 0.',
  );
  expect(() => parseStates(good.join('\n'), 'psp', { ...STATE_TABLES, rows: 12 })).toThrow(
    'The table has more than 12 rows. Import a part of it.',
  );
  const wide = plainTable(DIVING, { ...SPAN, stepMs: DAY_MS });
  expect(() => parse(wide)).toThrow('(narrower steps, other units)');
});

const psp = parse(plainTable(DIVING, SPAN));
const solarSystem = solarSystemOf(
  new Map([
    ['psp', psp.orbit()],
    ['stereo_a', ahead.orbit()],
  ] as const),
);

it('the solar system with tables lists spacecraft with tables as bodies, and STEREO as an observer', () => {
  expect(solarSystem.observers).toEqual(['soho', 'stereo_a']);
  expect(solarSystem.bodiesOf('soho').slice(-2)).toEqual(['psp', 'stereo_a']);
  expect(solarSystem.bodiesOf('stereo_a')).toEqual([
    ...['mercury', 'venus', 'earth', 'mars', 'jupiter', 'saturn', 'uranus', 'neptune'],
    'psp',
  ]);
  expect(solarSystem.lineOfSight('stereo_a', 'stereo_a')).toBeNull();
  expect(solarSystem.lineOfSight('psp', 'venus')).toBeNull();
  expect(solarSystem.lineOfSight('stereo_b', 'venus')).toBeNull();
});

it.each(['soho', 'stereo_a'])('the solar system with tables finds the conjunctions of a probe as %s sees it', (observer) => {
  const line = solarSystem.lineOfSight(observer, 'psp')!;
  const found = [];
  for (let at = SPAN.fromMs - DAY_MS; ; ) {
    const next = adjacentConjunctionMs(line, at, BODY_TIMES, 1);
    if (next === null) break;
    found.push(conjunctionAt(line, next, BODY_TIMES)!);
    at = next;
  }
  const sampled: [number, number][] = [];
  for (let at = SPAN.fromMs; at <= SPAN.toMs; at += HOUR_MS) {
    if (!inView(line, at)) continue;
    const last = sampled.at(-1);
    if (last && at - last[1] <= HOUR_MS) last[1] = at;
    else sampled.push([at, at]);
  }
  const long = sampled.filter(([from, to]) => to - from >= 7 * HOUR_MS);
  expect(long.length).toBeGreaterThan(1);
  expect(found.length).toBeLessThanOrEqual(sampled.length);
  for (const [from, to] of long) {
    const conjunction = found.find(({ startMs, endMs }) => startMs <= from && endMs >= to)!;
    expect(from - conjunction.startMs).toBeLessThan(HOUR_MS);
    expect(conjunction.endMs - to).toBeLessThan(HOUR_MS);
  }
  expect(adjacentConjunctionMs(line, SPAN.toMs + 40 * DAY_MS, BODY_TIMES, -1)).toBe(found.at(-1)!.endMs);
});

it('the solar system with tables shows no probe outside of its table, and trajectories with speeds in steps of the probe', () => {
  const line = solarSystem.lineOfSight('soho', 'psp')!;
  expect(inView(line, SPAN.fromMs - SECOND_MS)).toBeNull();
  expect(inView(line, SPAN.toMs + DAY_MS)).toBeNull();
  expect(conjunctionAt(line, SPAN.toMs + DAY_MS, BODY_TIMES)).toBeNull();
  expect(adjacentConjunctionMs(line, SPAN.toMs, BODY_TIMES, 1)).toBeNull();
  const conjunction = conjunctionAt(line, DIVING.perihelionMs, BODY_TIMES)!;
  const points = trajectory(line, conjunction, { cadenceMs: 6 * HOUR_MS, maxPoints: 400 });
  expect(points[1]![0] - points[0]![0]).toBe(6 * HOUR_MS);
  expect(Math.max(...points.map(([, { speedKmPerS }]) => speedKmPerS!))).toBeGreaterThan(180);
});

it('the solar system with tables takes SOHO from its table, and from the line to the Earth outside of it', () => {
  const at = Date.UTC(2025, 0, 1);
  const mean = solarSystemOf().lineOfSight('soho', 'mars')!.observer;
  const beside = (atMs: number): Vector => {
    const [x, y, z] = mean.positionAt(atMs)!;
    return [x + 0.004, y, z];
  };
  const rows = [0, 1, 2].map((i) => {
    const atMs = at + i * 6 * HOUR_MS;
    const velocity = minus(beside(atMs + HOUR_MS), beside(atMs - HOUR_MS)).map((v) => v * 12);
    return { atMs, position: beside(atMs), velocity: [velocity[0]!, velocity[1]!, velocity[2]!] as const };
  });
  const real = solarSystemOf(new Map([['soho', tableOf(rows).orbit()]])).lineOfSight('soho', 'mars')!.observer;
  expect(length(minus(real.positionAt(at + 4 * HOUR_MS)!, beside(at + 4 * HOUR_MS))) * AU_KM).toBeLessThan(5);
  expect(real.positionAt(at + DAY_MS)).toEqual(mean.positionAt(at + DAY_MS));
  expect(real.positionAt(at - 1)).toEqual(mean.positionAt(at - 1));
});
