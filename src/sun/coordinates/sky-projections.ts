// Projections of the sky onto the plane of an image: Calabretta & Greisen 2002, sections 5.1 and 5.2.

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
