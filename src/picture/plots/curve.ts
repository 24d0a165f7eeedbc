// Curves of values with their intervals over time. Lines end at gaps.
import { decimal } from '../overlays/overlay.ts';
import { type Axis, along, valueAxis } from './axes.ts';
import type { PlotArea } from './frame.ts';

export interface CurvePoint {
  readonly atMs: number;
  /** Null in a gap. */
  readonly value: number | null;
  readonly lower: number | null;
  readonly upper: number | null;
}

/** The place of a value at a time in a plot. */
export const placeIn =
  ({ left, top, width, height }: PlotArea, x: Axis, y: Axis) =>
  (atMs: number, value: number) => ({ x: left + along(x, atMs, width), y: top + height - along(y, value, height) });

/** Share of the range of values above and below the curve. */
const ROOM = 0.06;
/** Intervals wider than this many times the range of the values are cut at the frame. */
const BAND_SHARE = 1;
/** Points up to which each is marked. */
const MARKED_POINTS = 200;
/** Length, sides of the heads and least distance of arrows, pixels. */
const ARROW = { px: 16, headPx: 4, apartPx: 14 };
/** Half the width of the interval of a point between gaps, pixels. */
const ALONE_PX = 3;

/** Curves may have more values than a function may have arguments. */
const leastOf = (values: readonly number[]) => values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
const greatestOf = (values: readonly number[]) =>
  values.reduce((greatest, value) => Math.max(greatest, value), Number.NEGATIVE_INFINITY);

/** The axis of the values of a curve. @param most Ticks at most */
export function curveAxis(points: readonly CurvePoint[], name: string, unit: string, most?: number): Axis {
  const values = points.flatMap(({ value }) => value ?? []);
  let [least, greatest] = [leastOf(values), greatestOf(values)];
  const isFlat = !(greatest > least);
  // A constant curve is shown with its whole interval.
  const room = isFlat ? Number.POSITIVE_INFINITY : BAND_SHARE * (greatest - least);
  const ends = points.flatMap(({ lower, upper }) => [lower ?? [], upper ?? []].flat());
  const inReach = ends.filter((end) => end >= least - room && end <= greatest + room);
  [least, greatest] = [Math.min(least, leastOf(inReach)), Math.max(greatest, greatestOf(inReach))];
  if (!(greatest > least))
    [least, greatest] = greatest === 0 ? [0, 1] : [least - Math.abs(least) * ROOM, greatest + Math.abs(greatest) * ROOM];
  const margin = ROOM * (greatest - least);
  return valueAxis(least - margin, greatest + margin, name, unit, most);
}

/** Runs of points without a gap. */
function runsOf<Point>(points: readonly Point[], isThere: (point: Point) => boolean): Point[][] {
  const runs: Point[][] = [[]];
  for (const point of points) {
    if (isThere(point)) runs.at(-1)!.push(point);
    else if (runs.at(-1)!.length > 0) runs.push([]);
  }
  return runs.filter((run) => run.length > 0);
}

/** SVG path data: intervals as areas, values as lines, marked ones as lines of no length, arrows where an interval leaves the axis. */
export function curvePaths(
  points: readonly CurvePoint[],
  at: (atMs: number, value: number) => { readonly x: number; readonly y: number },
  { from, to }: Pick<Axis, 'from' | 'to'>,
) {
  const isEnd = (end: number | null): end is number => end !== null && end >= from && end <= to;
  const pointAt = (atMs: number, value: number, aside = 0) => {
    const { x, y } = at(atMs, value);
    return `${decimal(x + aside)} ${decimal(y)}`;
  };
  const hasInterval = ({ value, lower, upper }: CurvePoint) => value !== null && (lower !== null || upper !== null);
  const bands = runsOf(points, hasInterval).map((run) => {
    const aside = run.length === 1 ? [-ALONE_PX, ALONE_PX] : [0];
    const edge = (side: 'lower' | 'upper') =>
      run.flatMap(({ atMs, value, [side]: end }) => aside.map((px) => pointAt(atMs, isEnd(end) ? end : value!, px)));
    return `M${[...edge('upper'), ...edge('lower').toReversed()].join('L')}Z`;
  });
  const present = runsOf(points, ({ value }) => value !== null);
  const lines = present.map((run) => `M${run.map(({ atMs, value }) => pointAt(atMs, value!)).join('L')}`);
  const dots = present.flat().length > MARKED_POINTS ? present.filter((run) => run.length === 1).flat() : present.flat();
  const marks = dots.map(({ atMs, value }) => `M${pointAt(atMs, value!)}h0`);
  const arrows = (['upper', 'lower'] as const).flatMap((side) => {
    const [length, head] = side === 'upper' ? [-ARROW.px, ARROW.headPx] : [ARROW.px, -ARROW.headPx];
    let lastX = Number.NEGATIVE_INFINITY;
    return points.map((point) => {
      if (!hasInterval(point) || isEnd(point[side])) return '';
      const { x, y } = at(point.atMs, point.value!);
      if (x - lastX < ARROW.apartPx) return '';
      lastX = x;
      return `M${decimal(x)} ${decimal(y)}v${length}m${-head} ${head}l${head} ${-head}l${head} ${head}`;
    });
  });
  return { bands: bands.join(''), lines: lines.join(''), marks: marks.join(''), arrows: arrows.join('') };
}
