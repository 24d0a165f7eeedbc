// Regions enclosed by rings of vertices (even-odd rule): bounding box, and pole of inaccessibility, the point farthest from the edge.

export type Point = readonly [x: number, y: number];

/** The last vertex connects to the first. */
export type Ring = readonly Point[];

/** Part of the pole's depth by which a result may fall short of it: no difference that is visible in the place of a pin. */
const PRECISION = 0.1;
/** Squares along the longer side of the region at the start. */
const START_SQUARES = 8;
/** Squares refined at each step, the most promising first, and number of steps. Ordinary outlines need 4 steps of 20. */
const MAX_SQUARES = 64;
const MAX_STEPS = 12;
/** Lines on which points inside are searched. */
const SCAN_LINES = 8;

export function boundsOf(rings: readonly Ring[]) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const ring of rings)
    for (const [x, y] of ring) {
      [left, right] = [Math.min(left, x), Math.max(right, x)];
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
    }
  return { left, top, right, bottom };
}

interface Candidate {
  readonly at: Point;
  /** Distance to the edge: positive inside, negative outside. */
  readonly depth: number;
}

interface Square extends Candidate {
  readonly half: number;
  /** Upper bound of the depth of its points. */
  readonly reach: number;
}

/** Edges of rings: x, y of both ends of each, in one array, because distances to all of them are most of the work. */
type Edges = Float64Array;

const edgesOf = (rings: readonly Ring[]): Edges =>
  Float64Array.from(rings.flatMap((ring) => ring.flatMap((vertex, i) => [...ring.at(i - 1)!, ...vertex])));

function candidate(x: number, y: number, edges: Edges): Candidate {
  let isInside = false;
  let nearest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < edges.length; i += 4) {
    const ax = edges[i]! - x;
    const ay = edges[i + 1]! - y;
    const dx = edges[i + 2]! - edges[i]!;
    const dy = edges[i + 3]! - edges[i + 1]!;
    if (ay > 0 !== ay + dy > 0 && 0 < ax - (dx * ay) / dy) isInside = !isInside;
    const length = dx * dx + dy * dy;
    const along = length > 0 ? Math.min(1, Math.max(0, -(ax * dx + ay * dy) / length)) : 0;
    const toX = ax + along * dx;
    const toY = ay + along * dy;
    nearest = Math.min(nearest, toX * toX + toY * toY);
  }
  return { at: [x, y], depth: (isInside ? 1 : -1) * Math.sqrt(nearest) };
}

function square(x: number, y: number, half: number, edges: Edges): Square {
  const centre = candidate(x, y, edges);
  return { ...centre, half, reach: centre.depth + half * Math.SQRT2 };
}

/** The middle of the widest stretch of a horizontal line inside the region; null without one. */
function pointOnLine(y: number, edges: Edges): Point | null {
  const xs: number[] = [];
  for (let i = 0; i < edges.length; i += 4) {
    const [ax, ay, bx, by] = [edges[i]!, edges[i + 1]!, edges[i + 2]!, edges[i + 3]!];
    if (ay > y !== by > y) xs.push(ax + ((bx - ax) * (y - ay)) / (by - ay));
  }
  xs.sort((a, b) => a - b);
  let widest: readonly [from: number, to: number] = [0, 0];
  for (let i = 0; i + 1 < xs.length; i += 2) if (xs[i + 1]! - xs[i]! > widest[1] - widest[0]) widest = [xs[i]!, xs[i + 1]!];
  return widest[1] > widest[0] ? [(widest[0] + widest[1]) / 2, y] : null;
}

/** Points inside, on lines between the heights of vertices, where every region has a stretch, however narrow it is. */
function pointsInside(edges: Edges): Point[] {
  const heights = [...new Set(edges.filter((_, i) => i % 4 === 3))].sort((a, b) => a - b);
  const gaps = heights.length - 1;
  const lines = Math.min(gaps, SCAN_LINES);
  return Array.from({ length: Math.max(0, lines) }, (_, i) => {
    const gap = Math.floor(((i + 0.5) * gaps) / lines);
    return pointOnLine((heights[gap]! + heights[gap + 1]!) / 2, edges);
  }).filter((point) => point !== null);
}

function startSquares({ left, top, right, bottom }: ReturnType<typeof boundsOf>, edges: Edges): Square[] {
  const half = Math.max(right - left, bottom - top) / START_SQUARES / 2;
  const columns = Math.max(1, Math.ceil((right - left) / (2 * half)));
  const rows = Math.max(1, Math.ceil((bottom - top) / (2 * half)));
  return Array.from({ length: columns * rows }, (_, i) =>
    square(left + half * (1 + 2 * (i % columns)), top + half * (1 + 2 * Math.floor(i / columns)), half, edges),
  );
}

function quarters({ at: [x, y], half }: Square, edges: Edges): Square[] {
  const offsets = [-half / 2, half / 2];
  return offsets.flatMap((dx) => offsets.map((dy) => square(x + dx, y + dy, half / 2, edges)));
}

const deepest = (a: Candidate, b: Candidate): Candidate => (b.depth > a.depth ? b : a);

/**
 * The pole of inaccessibility of a region. Squares over the region are refined for as long as one may contain a deeper point. The
 * work is bounded: at most 3000 distances to the edge.
 * @param rings At least one vertex
 * @returns A point inside, whose depth is nearly that of the pole; the middle of the bounding box of a region without area
 */
export function poleOfInaccessibility(rings: readonly Ring[]): Point {
  const bounds = boundsOf(rings);
  const edges = edgesOf(rings);
  const middle = candidate((bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2, edges);
  let best = pointsInside(edges)
    .map(([x, y]) => candidate(x, y, edges))
    .reduce(deepest, middle);
  if (best.depth <= 0) return middle.at;
  let squares = startSquares(bounds, edges);
  for (let step = 0; step < MAX_STEPS && squares.length > 0; step++) {
    best = squares.reduce(deepest, best);
    const enough = best.depth * (1 + PRECISION);
    const promising = squares.filter(({ reach }) => reach > enough).sort((a, b) => b.reach - a.reach);
    squares = promising.slice(0, MAX_SQUARES).flatMap((each) => quarters(each, edges));
  }
  return best.at;
}
