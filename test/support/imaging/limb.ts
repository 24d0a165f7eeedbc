// Detection of the solar limb in a picture: limb points along rays from the centre, and a circle fitted to them.
import type { RgbFrame } from './rgb-frame.ts';

const RAYS = 360;
/** Half width of a ray in degrees. Averaging over it reduces the influence of single prominences. */
const RAY_HALF_DEG = 1.5;
/** Search range, in radii. */
const SEARCHED = { from: 0.95, to: 1.05 };
const STEP_PIXELS = 0.1;
/** Half of the baseline in pixels for measuring a fall or a bend. */
const REACH_PIXELS = { fall: 1.2, bend: 3 };
/** Rays further from the circle than this multiple of the median distance are prominences, streamers and gaps. */
const OUTLIER = 3.5;
const ROUNDS = 8;

/** `fall`: the steepest fall of the brightness; `bend`: the sharpest crest of its profile. */
export type LimbSign = keyof typeof REACH_PIXELS;

type Point = readonly [x: number, y: number];

function brightness({ width, pixels }: RgbFrame, x: number, y: number): number {
  const ix = Math.floor(x - 0.5);
  const iy = Math.floor(y - 0.5);
  const fx = x - 0.5 - ix;
  const at = (iy * width + ix) * 3;
  const below = at + width * 3;
  const top = (pixels[at] as number) * (1 - fx) + (pixels[at + 3] as number) * fx;
  const bottom = (pixels[below] as number) * (1 - fx) + (pixels[below + 3] as number) * fx;
  return top + (bottom - top) * (y - 0.5 - iy);
}

/** Distance of the limb from `centre` along a ray. */
function limbAlong(frame: RgbFrame, centre: Point, radius: number, degrees: number, sign: LimbSign): number {
  const angles = [-2, -1, 0, 1, 2].map((side) => ((degrees + (side / 2) * RAY_HALF_DEG) * Math.PI) / 180);
  const [cosines, sines] = [Float64Array.from(angles, Math.cos), Float64Array.from(angles, Math.sin)];
  const [x, y] = centre;
  const along = (r: number): number => {
    let sum = 0;
    for (let i = 0; i < cosines.length; i++) sum += brightness(frame, x + r * cosines[i]!, y - r * sines[i]!);
    return sum;
  };
  const steps = Math.ceil(((SEARCHED.to - SEARCHED.from) * radius) / STEP_PIXELS);
  const profile = Array.from({ length: steps }, (_, i) => along(SEARCHED.from * radius + i * STEP_PIXELS));
  const reach = Math.round(REACH_PIXELS[sign] / STEP_PIXELS);
  let [best, most] = [reach, Number.NEGATIVE_INFINITY];
  for (let i = reach; i < steps - reach; i++) {
    const [inner, here, outer] = [profile[i - reach]!, profile[i]!, profile[i + reach]!];
    const strength = sign === 'fall' ? inner - outer : 2 * here - inner - outer;
    if (strength > most) [best, most] = [i, strength];
  }
  return SEARCHED.from * radius + best * STEP_PIXELS;
}

type Triple = readonly [number, number, number];

const determinant = ([a, b, c]: readonly Triple[]): number => {
  if (!a || !b || !c) return 0;
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
};

/** Solves three linear equations by Cramer's rule. */
function solve3(rows: readonly Triple[], values: Triple): Triple {
  const whole = determinant(rows);
  const column = (k: number) =>
    determinant(rows.map((row, i) => row.map((v, j) => (j === k ? values[i] : v)) as unknown as Triple));
  return [column(0) / whole, column(1) / whole, column(2) / whole];
}

/** The circle through points with the least squares of x^2 + y^2 + ax + by + c (Kasa); exact enough for whole limbs. */
function circleThrough(points: readonly Point[]): { x: number; y: number; radius: number } {
  const sum = (of: (x: number, y: number) => number) => points.reduce((total, [x, y]) => total + of(x, y), 0);
  const [sx, sy, sxy] = [sum((x) => x), sum((_, y) => y), sum((x, y) => x * y)];
  const square = (x: number, y: number) => -(x * x + y * y);
  const [a, b, c] = solve3(
    [
      [sum((x) => x * x), sxy, sx],
      [sxy, sum((_, y) => y * y), sy],
      [sx, sy, points.length],
    ],
    [sum((x, y) => x * square(x, y)), sum((x, y) => y * square(x, y)), sum(square)],
  );
  return { x: -a / 2, y: -b / 2, radius: Math.sqrt((a * a + b * b) / 4 - c) };
}

/**
 * Fits a circle to the limb of a grey picture near its expected position. White light and magnetograms end at the photosphere,
 * where the steepest fall is accurate to a tenth of a pixel. In coronal images the limb is the crest of limb brightening. It
 * lies above the photosphere, because the layer below absorbs: by 7 to 12 arcseconds in EUV images of the real Sun, and by at
 * most 3 on the sample Sun, whose corona begins at the photosphere.
 * @returns its centre in pixels from the top left corner (that of pixel 0 is at 0.5), its radius, the share of the rays near the circle, which
 * are kept, and the root of the mean square of their distances from it
 */
export function fitLimb(frame: RgbFrame, expected: { x: number; y: number; radius: number }, sign: LimbSign) {
  const points = Array.from({ length: RAYS }, (_, k): Point => {
    const degrees = (k * 360) / RAYS;
    const r = limbAlong(frame, [expected.x, expected.y], expected.radius, degrees, sign);
    // Relative to the expected centre, because least squares are best conditioned there.
    return [r * Math.cos((degrees * Math.PI) / 180), -r * Math.sin((degrees * Math.PI) / 180)];
  });
  let kept = points;
  let circle = circleThrough(kept);
  const distance = ([x, y]: Point) => Math.abs(Math.hypot(x - circle.x, y - circle.y) - circle.radius);
  for (let round = 0; round < ROUNDS; round++) {
    const sorted = points.map(distance).sort((a, b) => a - b);
    const most = Math.max(0.3, OUTLIER * (sorted[RAYS / 2] as number));
    kept = points.filter((point) => distance(point) <= most);
    circle = circleThrough(kept);
  }
  const rms = Math.sqrt(kept.reduce((sum, point) => sum + distance(point) ** 2, 0) / kept.length);
  const { x, y, radius } = circle;
  return { x: expected.x + x, y: expected.y + y, radius, rms, kept: kept.length / RAYS };
}
