// The world coordinate system of an image, as SunPy's GenericMap makes it of a FITS header: Greisen & Calabretta 2002 (A&A 395, 1061),
// Calabretta & Greisen 2002 (A&A 395, 1077) and Thompson 2006 (A&A 449, 791).
// The projections of the sky are those of Calabretta & Greisen, sections 5.1 and 5.2.
import { rollOf } from './catalogue/roll.ts';
import { firstNumberIn, isPlausibleDistance, numberIn, SOLAR_RADIUS_M, unitOf } from './geometry.ts';
import { formatExact, observationTime, parseHeaderDate } from './time.ts';

type Header = ReadonlyMap<string, string>;
type Pair<T> = readonly [T, T];

export interface Wcs {
  /** Pixels along the axes. */
  readonly naxis: Pair<number>;
  /** Such as HPLN-TAN, HPLT-TAN. */
  readonly ctype: Pair<string>;
  /** Unit of `crval` and of `cdelt` a pixel. */
  readonly cunit: Pair<string>;
  /** Reference pixel; the centre of the first pixel, at the lower left corner, is 1, 1. */
  readonly crpix: Pair<number>;
  readonly cdelt: Pair<number>;
  readonly crval: Pair<number>;
  /** Linear transformation: rows of the matrix that multiplies pixel offsets before `cdelt`. */
  readonly pc: Matrix;
  /** Parameters PV2_0, PV2_1 and so on of the projection; unset without one. */
  readonly pv?: readonly number[];
  /** Native longitude and latitude of the celestial pole in degrees; for zenithal projections 180 and 0, for cylindrical ones 0 and 90. */
  readonly lonpole: number;
  readonly latpole: number;
  /** Time of the coordinates: that of the header if it is complete, else that of its date and clock together; null without one. */
  readonly dateObs: string | null;
  /** Null where the header does not state it, or an impossible one: SunPy then takes the centre of the Earth at `dateObs`. */
  readonly observer: ReturnType<typeof observerPosition>;
  /** Solar radius of the coordinates in metres; where RSUN_REF is absent, the one that SunPy takes. */
  readonly rsunRef: number;
}

const DEFAULT_TYPES: Pair<string> = ['HPLN-TAN', 'HPLT-TAN'];
/** Helioprojective axes in the headers of SOHO, TRACE and GONG, and of RHESSI, which have the unit there. */
const OLD_TYPES = /^(solar[-_ ]?[xy]|arcsec|gong[xy])$/i;

const pairOf = <T>(make: (axis: 1 | 2) => T): Pair<T> => [make(1), make(2)];
const text = (header: Header, keyword: string) => header.get(keyword)?.trim() || null;

function typeOf(header: Header, axis: 1 | 2): string {
  const given = text(header, `CTYPE${axis}`);
  return given === null || OLD_TYPES.test(given) ? DEFAULT_TYPES[axis - 1]! : given;
}

type Matrix = Pair<Pair<number>>;

const matrix = <T>(element: (row: 1 | 2, column: 1 | 2) => T): Pair<Pair<T>> => pairOf((i) => pairOf((j) => element(i, j)));

const IDENTITY: Matrix = matrix((i, j) => Number(i === j));

/** PCi_j, else CDi_j without the scale; null without both. */
function statedMatrix(header: Header, scales: Pair<number>): Matrix | null {
  const stated = (name: 'PC' | 'CD') => matrix((i, j) => numberIn(header, `${name}${i}_${j}`));
  const [pc, cd] = [stated('PC'), stated('CD')];
  if (pc.flat().some((value) => value !== null)) return matrix((i, j) => pc[i - 1]![j - 1] ?? Number(i === j));
  if (cd.flat().every((value) => value === null)) return null;
  return matrix((i, j) => (cd[i - 1]![j - 1] ?? 0) / scales[i - 1]!);
}

const DEGREES_PER_RADIAN = 180 / Math.PI;
/** Degrees between the roll of a matrix and CROTA in a header that contradicts itself. */
const CONTRADICTION_DEGREES = 0.1;

const statedRoll = (header: Header) => firstNumberIn(header, 'CROTA2', 'CROTA', 'CROTA1');

/** Degrees by which the matrix of a header turns otherwise than its CROTA; null where they agree, or one is absent. */
function contradiction(header: Header, scales: Pair<number>): number | null {
  const [own, stated] = [statedMatrix(header, scales), statedRoll(header)];
  if (!own || stated === null) return null;
  const turn = Math.atan2((own[1][0] * scales[1]) / scales[0], own[0][0]) * DEGREES_PER_RADIAN;
  const apart = turn - stated - 360 * Math.round((turn - stated) / 360);
  return Math.abs(apart) > CONTRADICTION_DEGREES ? apart : null;
}

/** The matrix of a header, else the rotation by CROTA with the ratio of the scales (Thompson 2006, equation 12). */
function matrixOf(header: Header, scales: Pair<number>): Matrix {
  const own = statedMatrix(header, scales);
  if (own) return own;
  const angle = (statedRoll(header) ?? 0) / DEGREES_PER_RADIAN;
  const ratio = scales[1] / scales[0];
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  // Without the negative zero of an angle of 0.
  return [
    [cosine, 0 - ratio * sine],
    [sine / ratio, cosine],
  ];
}

/** Most parameters PV2_m of a projection, by FITS. */
const MOST_PARAMETERS = 21;

/** PV2_m; unset for headers without one, and of gnomonic axes, which have none. */
function parametersOf(header: Header, code: string): Pick<Wcs, 'pv'> {
  const given = Array.from({ length: code === 'TAN' ? 0 : MOST_PARAMETERS }, (_, m) => numberIn(header, `PV2_${m}`));
  const last = given.findLastIndex((value) => value !== null);
  return last < 0 ? {} : { pv: given.slice(0, last + 1).map((value) => value ?? 0) };
}

/** Time of the coordinates. Headers of LASCO and MDI have the day and the time of day in keywords of their own. */
function dateOf(header: Header): string | null {
  const texts = [text(header, 'DATE-OBS'), text(header, 'DATE_OBS')].filter((date) => date !== null);
  const complete = texts.find((date) => parseHeaderDate(date) !== null);
  if (complete !== undefined) return complete;
  const atMs = observationTime(header);
  return atMs === null ? (texts[0] ?? null) : formatExact(atMs);
}

/** Keyword and value in metres of the distance to the Sun; null where the header has none. */
function statedDistance(header: Header) {
  const keyword = ['DSUN_OBS', 'DSUN'].find((name) => numberIn(header, name) !== null);
  return keyword === undefined ? null : { keyword, metres: numberIn(header, keyword)! };
}

/** Sentences about values of the header that `wcsOf` does not take. */
export function wcsNotes(header: Header, sourceId?: number): string[] {
  const notes: string[] = [];
  const stated = statedDistance(header);
  if (stated && !isPlausibleDistance(stated.metres))
    notes.push(
      `${stated.keyword} is ${stated.metres} m, which is no distance to the Sun, so the position of the observer is unknown.`,
    );
  const { pixels, isVerified, evidence } = rollOf(header, sourceId);
  const apart = pixels === 'north' ? null : contradiction(header, scalesOf(header));
  if (apart !== null) {
    const degrees = Math.abs(apart).toFixed(1);
    notes.push(`The matrix PCi_j or CDi_j and CROTA are ${degrees} degrees apart, so the image is without coordinates.`);
  }
  if (!isVerified) notes.push(`Roll not verified. ${evidence}`);
  return notes;
}

/** Position of the observer in Stonyhurst coordinates, else in Carrington ones: degrees, and metres from the centre of the Sun. */
function observerPosition(header: Header) {
  const distance = statedDistance(header)?.metres ?? null;
  if (distance === null || !isPlausibleDistance(distance)) return null;
  for (const [frame, start] of [
    ['heliographic_stonyhurst', 'HG'],
    ['heliographic_carrington', 'CR'],
  ] as const) {
    const [longitude, latitude] = [numberIn(header, `${start}LN_OBS`), numberIn(header, `${start}LT_OBS`)];
    if (longitude !== null && latitude !== null) return { frame, longitude, latitude, distance };
  }
  return null;
}

const scalesOf = (header: Header): Pair<number> =>
  pairOf((axis) => numberIn(header, `CDELT${axis}`) ?? numberIn(header, 'CDELT1') ?? Number.NaN);

/**
 * Null for a header without a scale or a size, or with a matrix and a CROTA that contradict each other: there are no coordinates.
 * @param sourceId The identified source, which tells whether the pixels are turned; unset for a header alone
 */
export function wcsOf(header: Header, sourceId?: number): Wcs | null {
  const naxis = pairOf((axis) => numberIn(header, `NAXIS${axis}`));
  const cdelt = scalesOf(header);
  const [width, height] = naxis;
  if (!width || !height || !cdelt[0] || !cdelt[1]) return null;
  const isNorthUp = rollOf(header, sourceId).pixels === 'north';
  if (!isNorthUp && contradiction(header, cdelt) !== null) return null;
  const ctype = pairOf((axis) => typeOf(header, axis));
  const crval = pairOf((axis) => numberIn(header, `CRVAL${axis}`) ?? 0);
  const code = ctype[1].slice(-3).toUpperCase();
  // The pole where LONPOLE and LATPOLE are absent: Calabretta & Greisen 2002, sections 2.2 and 2.4.
  const isEquatorial = isCylindrical(code);
  return {
    naxis: [width, height],
    ctype,
    cunit: pairOf((axis) => unitOf(header, axis)),
    crpix: pairOf((axis) => numberIn(header, `CRPIX${axis}`) ?? (naxis[axis - 1]! + 1) / 2),
    cdelt,
    crval,
    pc: isNorthUp ? IDENTITY : matrixOf(header, cdelt),
    ...parametersOf(header, code),
    lonpole: numberIn(header, 'LONPOLE') ?? (isEquatorial && crval[1] >= 0 ? 0 : 180),
    latpole: numberIn(header, 'LATPOLE') ?? (isEquatorial ? 90 : 0),
    dateObs: dateOf(header),
    observer: observerPosition(header),
    rsunRef: numberIn(header, 'RSUN_REF') ?? SOLAR_RADIUS_M,
  };
}

/** Coordinates of a grid that no image has, north up. */
export const gridWcs = (own: Omit<Wcs, 'pc' | 'pv' | 'dateObs' | 'observer' | 'rsunRef'>): Wcs => ({
  ...own,
  pc: IDENTITY,
  dateObs: null,
  observer: null,
  rsunRef: SOLAR_RADIUS_M,
});

/** Blocks of `factor` x `factor` pixels of an image: `width` x `height` of them, after the columns `left` and the rows `below`. */
export interface BlockGrid {
  readonly left: number;
  readonly below: number;
  readonly factor: number;
  readonly width: number;
  readonly height: number;
}

export function wcsOfBlocks(wcs: Wcs, { left, below, factor, width, height }: BlockGrid): Wcs {
  const [x, y] = wcs.crpix;
  const placed = (pixel: number, skipped: number) => (pixel - skipped - 0.5) / factor + 0.5;
  return {
    ...wcs,
    naxis: [width, height],
    crpix: [placed(x, left), placed(y, below)],
    cdelt: [wcs.cdelt[0] * factor, wcs.cdelt[1] * factor],
  };
}

/** Values of a header: numbers as numbers, `nan` as null, everything else as text. */
export const typedValues = (header: Header): Record<string, string | number | null> =>
  Object.fromEntries([...header].map(([keyword, value]) => [keyword, typedValue(value)]));

const UNDEFINED = /^[+-]?(nan|inf(inity)?)$/i;
const NUMBER = /^[+-]?(?:0|[1-9]\d*|\d+\.\d*|\.\d+)(?:\.\d*)?(?:[ed][+-]?\d+)?$/i;

function typedValue(value: string): string | number | null {
  if (UNDEFINED.test(value)) return null;
  if (!NUMBER.test(value)) return value;
  const number = Number(value.replace(/d/i, 'e'));
  // Serial numbers of more digits than a number has stay text.
  return Number.isFinite(number) && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : value;
}

/** A direction: along increasing longitude and latitude at the reference point, and towards it. */
type Direction = readonly [x: number, y: number, z: number];
type Flat = readonly [x: number, y: number];

/** Not numbers where there is no image of a direction, or no direction. */
export interface SkyProjection {
  /** Radians in the plane of a unit vector. */
  flat(direction: Direction): Flat;
  /** A vector of any length. */
  sky(x: number, y: number): Direction;
}

/** A zenithal projection by the distance in the plane of an angle from the reference point, and back; radians. */
const zenithal = (radius: (angle: number) => number, angle: (radius: number) => number): SkyProjection => ({
  flat: ([x, y, z]) => {
    const sine = Math.hypot(x, y);
    const scale = sine === 0 ? 1 : radius(Math.atan2(sine, z)) / sine;
    return [x * scale, y * scale];
  },
  sky: (x, y) => {
    const r = Math.hypot(x, y);
    const from = angle(r);
    const scale = r === 0 ? 1 : Math.sin(from) / r;
    return [x * scale, y * scale, Math.cos(from)];
  },
});

const within = (angle: number, most: number, value: number) => (angle < most ? value : Number.NaN);

const TAN: SkyProjection = {
  flat: ([x, y, z]) => (z > 0 ? [x / z, y / z] : [Number.NaN, Number.NaN]),
  sky: (x, y) => [x, y, 1],
};

/** The perspective from `mu` radii behind the centre, onto a plane that is tilted about its horizontal axis by so many degrees. */
function perspective(mu: number, tilt: number): SkyProjection | null {
  if (mu < 0 || !(Math.abs(tilt) < 90)) return null;
  const [sine, cosine] = [Math.sin((tilt * Math.PI) / 180), Math.cos((tilt * Math.PI) / 180)];
  const most = mu > 1 ? Math.acos(-1 / mu) : Math.acos(-mu);
  const upright = zenithal(
    (angle) => within(angle, most, ((mu + 1) * Math.sin(angle)) / (mu + Math.cos(angle))),
    (radius) => {
      const s = radius / (mu + 1);
      return Math.PI / 2 - Math.atan2(1, s) + Math.asin((s * mu) / Math.hypot(1, s));
    },
  );
  return {
    flat: (direction) => {
      const [x, y] = upright.flat(direction);
      const depth = cosine - (y * sine) / (mu + 1);
      return depth > 0 ? [(x * cosine) / depth, y / depth] : [Number.NaN, Number.NaN];
    },
    sky: (x, y) => {
      const nearness = (mu + 1) / (mu + 1 + y * sine);
      return upright.sky(x * nearness, y * cosine * nearness);
    },
  };
}

/** Steps by which the first maximum of a polynomial is sought, and halvings by which an angle is. */
const SOUGHT = { steps: 3600, halvings: 50 };

/** A polynomial of the angle, as far as it rises. */
function polynomial(coefficients: readonly number[]): SkyProjection | null {
  const value = (angle: number) => coefficients.reduceRight((sum, one) => sum * angle + one, 0);
  const step = Math.PI / SOUGHT.steps;
  let most = 0;
  while (most < Math.PI && value(most + step) > value(most)) most += step;
  if (most === 0) return null;
  return zenithal(
    (angle) => within(angle, most, value(angle)),
    (radius) => {
      let [low, high] = [0, most];
      for (let i = 0; i < SOUGHT.halvings; i++) {
        const middle = (low + high) / 2;
        if (value(middle) < radius) low = middle;
        else high = middle;
      }
      return radius > value(most) ? Number.NaN : low;
    },
  );
}

const cylindrical = (ofSine: (sine: number) => number, sineOf: (y: number) => number): SkyProjection => ({
  flat: ([x, y, z]) => [Math.atan2(x, z), ofSine(y)],
  sky: (x, y) => {
    const sine = sineOf(y);
    const cosine = Math.sqrt(1 - sine * sine);
    return [cosine * Math.sin(x), sine, cosine * Math.cos(x)];
  },
});

/** The projections of CTYPE by the parameters PV2_m; null for parameters with which there is none. */
const PROJECTIONS: Readonly<Record<string, (pv: readonly number[]) => SkyProjection | null>> = {
  TAN: () => TAN,
  ARC: () =>
    zenithal(
      (angle) => angle,
      (radius) => within(radius, Math.PI, radius),
    ),
  SIN: ([, xi = 0, eta = 0]) =>
    xi === 0 && eta === 0 ? zenithal((angle) => within(angle, Math.PI / 2, Math.sin(angle)), Math.asin) : null,
  STG: () =>
    zenithal(
      (angle) => 2 * Math.tan(angle / 2),
      (radius) => 2 * Math.atan(radius / 2),
    ),
  AZP: ([, mu = 0, tilt = 0]) => perspective(mu, tilt),
  ZPN: polynomial,
  CAR: () => cylindrical(Math.asin, (y) => (Math.abs(y) <= Math.PI / 2 ? Math.sin(y) : Number.NaN)),
  CEA: ([, lambda = 1]) =>
    lambda > 0
      ? cylindrical(
          (sine) => sine / lambda,
          (y) => y * lambda,
        )
      : null,
};

/** Whether a projection is cylindrical, with its reference point on the equator. */
export const isCylindrical = (code: string): boolean => code === 'CAR' || code === 'CEA';

/** The projection of a code of three letters; null for another code, or for parameters with which there is none. */
export const skyProjection = (code: string, pv: readonly number[]): SkyProjection | null => PROJECTIONS[code]?.(pv) ?? null;
