// Estimates of build times from those of recent builds.

/** A finished build. */
export interface TimedBuild {
  /** Megapixels to draw and to encode. */
  readonly cost: number;
  readonly seconds: number;
}

/** Seconds of a build: `fixed + perCost * cost`. */
export interface BuildSpeed {
  readonly fixed: number;
  readonly perCost: number;
}

/** Inputs of the cost: each frame is drawn once per image and encoded once. */
export interface CostFacts {
  readonly frames: number;
  readonly framePixels: number;
  readonly outputPixels: number;
  /** Images of a frame: one per layer, two for a difference. */
  readonly images: number;
}

/**
 * Default before the first build, from the movie bench on two shared processors: 300 frames of 1280 x 720 take 16 s with one
 * layer (`movieCost` 553 megapixels) and 20 s with two (829 megapixels).
 */
export const UNMEASURED: BuildSpeed = { fixed: 2, perCost: 0.025 };

/** Minimum ratio of the largest to the smallest cost, and number of builds, from which a line can be fitted. */
const FIT_SPREAD = 2;
const FIT_BUILDS = 8;
/** Multiple of the median deviation beyond which a build is an outlier, such as one whose worker was killed. */
const OUTLIER = 5;
/** Maximum ratio of the squared errors with and without a fixed part for the fixed part to be kept. */
const FIXED_PART_ERROR = 0.9;

/** Megapixels to draw and to encode. */
export function movieCost({ frames, framePixels, outputPixels, images }: CostFacts): number {
  return (frames * (outputPixels + framePixels * images)) / 1e6;
}

function median(values: ArrayLike<number>): number {
  // Typed arrays sort numbers several times as fast as arrays with a comparison function.
  const sorted = new Float64Array(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

const secondsOf = ({ fixed, perCost }: BuildSpeed, cost: number): number => fixed + perCost * cost;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function squaredError(builds: readonly TimedBuild[], speed: BuildSpeed): number {
  return sum(builds.map(({ cost, seconds }) => (seconds - secondsOf(speed, cost)) ** 2));
}

/** Theil-Sen estimator: the median of the slopes between all pairs, which outliers do not affect. */
function robustLine(builds: readonly TimedBuild[]): BuildSpeed {
  // A loop over one array, because the status of every queued movie takes 5000 slopes of 100 builds.
  const slopes = new Float64Array((builds.length * (builds.length - 1)) / 2);
  let count = 0;
  for (const [i, a] of builds.entries()) {
    for (let j = i + 1; j < builds.length; j++) {
      const b = builds[j]!;
      if (b.cost !== a.cost) slopes[count++] = (b.seconds - a.seconds) / (b.cost - a.cost);
    }
  }
  const perCost = Math.max(0, median(slopes.subarray(0, count)));
  return { perCost, fixed: Math.max(0, median(builds.map(({ cost, seconds }) => seconds - perCost * cost))) };
}

/** Ordinary least squares. Uses means rather than medians because the wait in a queue is a sum. */
function leastSquares(builds: readonly TimedBuild[]): BuildSpeed {
  const meanCost = sum(builds.map(({ cost }) => cost)) / builds.length;
  const meanSeconds = sum(builds.map(({ seconds }) => seconds)) / builds.length;
  const products = sum(builds.map(({ cost, seconds }) => (cost - meanCost) * (seconds - meanSeconds)));
  const perCost = products / sum(builds.map(({ cost }) => (cost - meanCost) ** 2));
  return { perCost, fixed: meanSeconds - perCost * meanCost };
}

function proportional(builds: readonly TimedBuild[]): BuildSpeed {
  return { fixed: 0, perCost: sum(builds.map(({ seconds }) => seconds)) / sum(builds.map(({ cost }) => cost)) };
}

function withoutOutliers(builds: readonly TimedBuild[], expected: BuildSpeed): TimedBuild[] {
  const deviation = ({ cost, seconds }: TimedBuild) => Math.abs(seconds / secondsOf(expected, cost) - 1);
  const most = OUTLIER * median(builds.map(deviation));
  return builds.filter((build) => deviation(build) <= most);
}

/** UNMEASURED, scaled to the speed of these builds, for builds that are too few or too similar to fit a line. */
function scaledUnmeasured(builds: readonly TimedBuild[]): BuildSpeed {
  const unmeasured = (factor: number) => ({ fixed: factor * UNMEASURED.fixed, perCost: factor * UNMEASURED.perCost });
  const predicted = ({ cost }: TimedBuild) => secondsOf(UNMEASURED, cost);
  const typical = unmeasured(median(builds.map((build) => build.seconds / predicted(build))));
  const usual = withoutOutliers(builds, typical);
  return unmeasured(sum(usual.map(({ seconds }) => seconds)) / sum(usual.map(predicted)));
}

/** Build speed from recent builds; UNMEASURED without any. */
export function buildSpeed(recent: readonly TimedBuild[]): BuildSpeed {
  const builds = recent.filter(({ cost, seconds }) => cost > 0 && seconds > 0);
  if (builds.length === 0) return UNMEASURED;
  const costs = builds.map(({ cost }) => cost);
  const canFit = builds.length >= FIT_BUILDS && Math.max(...costs) > FIT_SPREAD * Math.min(...costs);
  if (!canFit) return scaledUnmeasured(builds);
  const usual = withoutOutliers(builds, robustLine(builds));
  const [line, ray] = [leastSquares(usual), proportional(usual)];
  const isBetter = squaredError(usual, line) < FIXED_PART_ERROR * squaredError(usual, ray);
  return line.fixed > 0 && line.perCost > 0 && isBetter ? line : ray;
}

/** Builds before a movie, including running ones. */
export interface QueueAhead {
  readonly builds: number;
  /** Remaining megapixels. */
  readonly cost: number;
}

/** Whole seconds until a queued movie is finished. `workers`: number of concurrent builds. */
export function estimateSeconds(movie: {
  readonly cost: number;
  readonly ahead: QueueAhead;
  readonly workers: number;
  readonly recent: readonly TimedBuild[];
}): number {
  const { cost, ahead, workers, recent } = movie;
  const { fixed, perCost } = buildSpeed(recent);
  const wait = ahead.builds < workers ? 0 : (fixed * ahead.builds + perCost * ahead.cost) / workers;
  return Math.max(1, Math.ceil(wait + fixed + perCost * cost));
}

/**
 * Maximum share of a build that remains when its last frame is drawn, because encoders delay frames and files are still to be
 * stored. The elapsed time bounds it for long movies.
 */
const TAIL = 0.3;

/** Whole seconds until a running build is finished. `drawn`: share of its frames that are drawn, 0 to 1. */
export function secondsLeft(build: {
  readonly cost: number;
  readonly drawn: number;
  readonly elapsedSeconds: number;
  readonly recent: readonly TimedBuild[];
}): number {
  const { cost, drawn, elapsedSeconds, recent } = build;
  const speed = buildSpeed(recent);
  const whole = secondsOf(speed, cost);
  const tail = Math.min(TAIL * whole, whole - elapsedSeconds);
  return Math.max(1, Math.ceil(secondsOf(speed, cost * (1 - drawn))), Math.ceil(tail));
}
