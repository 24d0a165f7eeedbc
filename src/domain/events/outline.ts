// Outlines in well-known text, as the HEK has them in hpc_boundcc: `POLYGON((x y,x y,...))`.

type Point = readonly [x: number, y: number];

/** What is kept: SPoCA has some hundred points in a ring, and holes and islands of coronal holes are rings of their own. */
const MAX_RINGS = 12;
const MAX_POINTS = 600;
/** Three corners make an area. */
const MIN_POINTS = 3;

/** Arcseconds beyond which a point is a mistake: 30 solar radii, the field of view of LASCO C3. */
const FARTHEST = 30_000;

function pointOf(text: string): Point | null {
  const [x, y, ...rest] = text.trim().split(/\s+/).map(Number);
  if (x === undefined || y === undefined || rest.length > 1) return null;
  return Math.abs(x) <= FARTHEST && Math.abs(y) <= FARTHEST ? [x, y] : null;
}

/** As many points as are kept, evenly: a ring that is cut off is another shape. */
function thinned(ring: readonly Point[]): readonly Point[] {
  const step = Math.ceil(ring.length / MAX_POINTS);
  return step > 1 ? ring.filter((_, i) => i % step === 0) : ring;
}

/** The rings of a polygon or of several, without the corner that closes them. Points that are none are left out. */
export function parseOutlines(text: string): readonly (readonly Point[])[] {
  if (!/^\s*(MULTI)?POLYGON/i.test(text)) return [];
  const rings = [...text.matchAll(/\(([^()]+)\)/g)].slice(0, MAX_RINGS).map(([, ring]) => {
    const points = ring!
      .split(',')
      .map(pointOf)
      .filter((point) => point !== null);
    const [first, last] = [points[0], points.at(-1)];
    const isClosed = points.length > 1 && first![0] === last![0] && first![1] === last![1];
    return thinned(isClosed ? points.slice(0, -1) : points);
  });
  return rings.filter((ring) => ring.length >= MIN_POINTS);
}
