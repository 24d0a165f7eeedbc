// How long builds take, from how long the last ones took.

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

/** What a movie costs: every frame is drawn once for each image in it, and encoded. */
export interface CostFacts {
  readonly frames: number;
  readonly framePixels: number;
  readonly outputPixels: number;
  /** Images of a frame: one for each layer, two where it is a difference. */
  readonly images: number;
}

/**
 * While nothing is known: what the bench of movies takes on two processors that have other work too. 300 frames of 1280 x 720
 * take 16 s with one layer, 553 megapixels by `movieCost`, and 20 s with two, 829 megapixels.
 */
export const UNMEASURED: BuildSpeed = { fixed: 2, perCost: 0.025 };

/** Builds that differ less in cost, as the largest to the smallest, say nothing of what all of them take. */
const TELLING_SPREAD = 2;
const TELLING_BUILDS = 8;
/** Times the median deviation from which a build is left out: a worker was killed meanwhile, or shared its processor. */
const OUTLIER = 5;
/** Part of the squared error that a fixed part has to save to be believed. */
const BELIEVED = 0.9;

/** Megapixels to draw and to encode. */
export function movieCost({ frames, framePixels, outputPixels, images }: CostFacts): number {
  return (frames * (outputPixels + framePixels * images)) / 1e6;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

const secondsOf = ({ fixed, perCost }: BuildSpeed, cost: number): number => fixed + perCost * cost;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function squaredError(builds: readonly TimedBuild[], speed: BuildSpeed): number {
  return sum(builds.map(({ cost, seconds }) => (seconds - secondsOf(speed, cost)) ** 2));
}

/** Through the median of the slopes between all pairs (Theil and Sen): a few odd builds do not move it. */
function robustLine(builds: readonly TimedBuild[]): BuildSpeed {
  const slopes = builds.flatMap((a, i) =>
    builds
      .slice(i + 1)
      .filter((b) => b.cost !== a.cost)
      .map((b) => (b.seconds - a.seconds) / (b.cost - a.cost)),
  );
  const perCost = Math.max(0, median(slopes));
  return { perCost, fixed: Math.max(0, median(builds.map(({ cost, seconds }) => seconds - perCost * cost))) };
}

/** Means rather than medians from here on: what counts for a queue is the sum. */
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

/** UNMEASURED on a machine as fast as these builds were: of small ones alone nobody knows what a large one takes. */
function scaledUnmeasured(builds: readonly TimedBuild[]): BuildSpeed {
  const unmeasured = (factor: number) => ({ fixed: factor * UNMEASURED.fixed, perCost: factor * UNMEASURED.perCost });
  const predicted = ({ cost }: TimedBuild) => secondsOf(UNMEASURED, cost);
  const typical = unmeasured(median(builds.map((build) => build.seconds / predicted(build))));
  const usual = withoutOutliers(builds, typical);
  return unmeasured(sum(usual.map(({ seconds }) => seconds)) / sum(usual.map(predicted)));
}

/** The speed of which such builds speak; UNMEASURED without any. */
export function buildSpeed(recent: readonly TimedBuild[]): BuildSpeed {
  const builds = recent.filter(({ cost, seconds }) => cost > 0 && seconds > 0);
  if (builds.length === 0) return UNMEASURED;
  const costs = builds.map(({ cost }) => cost);
  const isTelling = builds.length >= TELLING_BUILDS && Math.max(...costs) > TELLING_SPREAD * Math.min(...costs);
  if (!isTelling) return scaledUnmeasured(builds);
  const usual = withoutOutliers(builds, robustLine(builds));
  const [line, ray] = [leastSquares(usual), proportional(usual)];
  const isBetter = squaredError(usual, line) < BELIEVED * squaredError(usual, ray);
  return line.fixed > 0 && line.perCost > 0 && isBetter ? line : ray;
}

/** What is to be built before a movie, running builds included. */
export interface QueueAhead {
  readonly builds: number;
  /** What is left of it. */
  readonly cost: number;
}

/** Whole seconds until a movie is finished that waits behind `ahead`. `workers`: builds that go on at once. */
export function estimateSeconds(wanted: {
  readonly cost: number;
  readonly ahead: QueueAhead;
  readonly workers: number;
  readonly recent: readonly TimedBuild[];
}): number {
  const { cost, ahead, workers, recent } = wanted;
  const { fixed, perCost } = buildSpeed(recent);
  const wait = ahead.builds < workers ? 0 : (fixed * ahead.builds + perCost * ahead.cost) / workers;
  return Math.max(1, Math.ceil(wait + fixed + perCost * cost));
}

/**
 * Part of a build that may be left when its last frame is drawn: encoders hold frames back, and files have to be stored. Long
 * movies have less of it, by the time that they took already.
 */
const TAIL = 0.3;

/** Whole seconds until a movie is finished that has been built for `elapsedSeconds`. `drawn`: share of its frames, 0 to 1. */
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
