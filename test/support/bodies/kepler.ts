// Orbits by Kepler's laws, as tables of states: made up for tests, of no real spacecraft.
import { DAY_MS } from '../../../src/platform/util/durations.ts';

type Vector = readonly [number, number, number];

type Elements = typeof DIVING;

/** An orbit of the shape of the Parker Solar Probe's last ones: angles in degrees, on the ecliptic of J2000. */
export const DIVING = {
  perihelionAu: 0.0459,
  aphelionAu: 0.73,
  inclination: 3.4,
  node: 75,
  argument: 80,
  perihelionMs: Date.UTC(2024, 11, 24, 12),
};

/** An orbit like STEREO-A's: ahead of the Earth, gaining on it. */
export const AHEAD: Elements = {
  perihelionAu: 0.957,
  aphelionAu: 0.967,
  inclination: 0.1,
  node: 210,
  argument: 90,
  perihelionMs: Date.UTC(2024, 3, 1),
};

/** Gravitational constant of the Sun, au^3 per day^2. */
const MU = 0.01720209895 ** 2;
const RAD = Math.PI / 180;
const OBLIQUITY = 23.4392911 * RAD;

function turnedAbout(axis: 0 | 2, [x, y, z]: Vector, angle: number): Vector {
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  return axis === 0 ? [x, cos * y - sin * z, sin * y + cos * z] : [cos * x - sin * y, sin * x + cos * y, z];
}

/** Position and velocity on the axes of the ecliptic, au and au per day. */
export function eclipticState(elements: Elements, atMs: number): { position: Vector; velocity: Vector } {
  const { perihelionAu: q, aphelionAu: Q } = elements;
  const [a, e] = [(q + Q) / 2, (Q - q) / (Q + q)];
  const motion = Math.sqrt(MU / a ** 3);
  const mean = ((motion * (atMs - elements.perihelionMs)) / DAY_MS) % (2 * Math.PI);
  let E = mean + e * Math.sin(mean);
  for (let i = 0; i < 60; i++) E -= (E - e * Math.sin(E) - mean) / (1 - e * Math.cos(E));
  const [sin, cos, b] = [Math.sin(E), Math.cos(E), a * Math.sqrt(1 - e * e)];
  const rate = motion / (1 - e * cos);
  const place = (vector: Vector) =>
    turnedAbout(
      2,
      turnedAbout(0, turnedAbout(2, vector, elements.argument * RAD), elements.inclination * RAD),
      elements.node * RAD,
    );
  return { position: place([a * (cos - e), b * sin, 0]), velocity: place([-a * sin * rate, b * cos * rate, 0]) };
}

/** The same on the axes of the equator. */
export function equatorialState(elements: Elements, atMs: number): { position: Vector; velocity: Vector } {
  const { position, velocity } = eclipticState(elements, atMs);
  return { position: turnedAbout(0, position, OBLIQUITY), velocity: turnedAbout(0, velocity, OBLIQUITY) };
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
}

const timesOf = ({ fromMs, toMs, stepMs }: Span) =>
  Array.from({ length: Math.floor((toMs - fromMs) / stepMs) + 1 }, (_, i) => fromMs + i * stepMs);

/** A table in the CSV of this service. */
export function plainTable(elements: Elements, span: Span): string {
  const rows = timesOf(span).map((atMs) => {
    const { position, velocity } = equatorialState(elements, atMs);
    return [new Date(atMs).toISOString(), ...position, ...velocity].join(',');
  });
  return ['# Made up for tests.', 'time,x,y,z,vx,vy,vz', ...rows, ''].join('\n');
}

const KM_PER_AU = 149_597_870.7;
const TDB_AHEAD_MS = 69_184;

/** A vector table in the form of JPL Horizons. */
export function horizonsTable(
  elements: Elements,
  span: Span,
  { target = 'Parker Solar Probe (spacecraft) (-96)', units = 'AU-D', frame = 'ICRF' } = {},
): string {
  const [length, speed] = units === 'KM-S' ? [KM_PER_AU, KM_PER_AU / 86_400] : [1, 1];
  const rows = timesOf(span).map((atMs) => {
    const { position, velocity } = (frame === 'ICRF' ? equatorialState : eclipticState)(elements, atMs);
    const julianDay = (atMs + TDB_AHEAD_MS) / DAY_MS + 2_440_587.5;
    const numbers = [...position.map((x) => x * length), ...velocity.map((v) => v * speed)];
    return `${julianDay.toFixed(9)}, A.D. 2024-Dec-24 00:00:00.0000, ${numbers.map((x) => x.toExponential(15)).join(', ')},`;
  });
  const stars = '*'.repeat(79);
  return [
    stars,
    'Ephemeris / API_USER Sun Jan  5 00:00:00 2025 Pasadena, USA      / Horizons',
    stars,
    `Target body name: ${target} {source: made_up}`,
    'Center body name: Sun (10)                        {source: DE441}',
    'Center-site name: BODY CENTER',
    stars,
    `Output units    : ${units}`,
    'Output type     : GEOMETRIC cartesian states',
    'Output format   : 2 (position and velocity)',
    `Reference frame : ${frame}`,
    stars,
    '            JDTDB,            Calendar Date (TDB),                      X,                      Y,                      Z,' +
      '                     VX,                     VY,                     VZ,',
    stars,
    '$$SOE',
    ...rows,
    '$$EOE',
    stars,
    '',
  ].join('\n');
}
