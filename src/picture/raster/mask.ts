// Alpha masks: of the ring that a coronagraph images, between the occulter and the edge of the field, and of pixels without data.
import type { DataSource, Mask, MaskCircle } from '../../sun/catalogue/datasource.ts';
import type { Edges } from '../../sun/coordinates/picture-plane.ts';
import type { Circle, ImageGeometry } from '../../sun/image.ts';
import { type Coverage, type PixelGrid, rowStepOf, sunCentre } from '../grids/pixel-grid.ts';

/** The visible ring of an image, in its pixels. */
export interface Ring {
  /** Edge of the occulter. */
  readonly inner: Circle;
  /** Edge of the field. */
  readonly outer: Circle;
  /** Width over which the edges fade; 0 for sharp edges. */
  readonly softness: number;
}

/** The ring of a datasource's mask in an image. @param edges Of an image that has been turned to the north */
export function ringOf({ unit, anchor, inner, outer, softness = 0 }: Mask, geometry: ImageGeometry, edges?: Edges): Ring {
  const { width, height, rsunPixels, scaleArcsecPerPixel } = geometry;
  const scale = unit === 'solar-radii' ? rsunPixels : width / unit;
  const sun = sunCentre(geometry);
  const own = { x: width / 2 - sun.x, y: height / 2 - sun.y, across: { x: width / 2, y: 0 }, down: { x: 0, y: height / 2 } };
  const [{ x, y, across, down }, pixels] = edges ? [edges, scaleArcsecPerPixel] : [own, 1];
  const centre = anchor === 'sun' ? sun : { x: sun.x + x / pixels, y: sun.y + y / pixels };
  const circle = ([dx, dy, radius]: MaskCircle): Circle => {
    const [right, low] = [(2 * dx * scale) / width / pixels, (2 * dy * scale) / height / pixels];
    return {
      x: centre.x + right * across.x + low * down.x,
      y: centre.y + right * across.y + low * down.y,
      radius: radius * scale,
    };
  };
  return { inner: circle(inner), outer: circle(outer), softness: softness * scale };
}

/** Radius of a disc without data beyond it, solar radii: with the pixel of its edge. */
const DISC_RADII = 1.002;

/** What a layer of a picture shows of an image; null where that is all of it. The inner edge of a disc has a negative radius. */
export function visibleRing(source: DataSource | undefined, geometry: ImageGeometry, edges?: Edges): Ring | null {
  if (source?.mask) return ringOf(source.mask, geometry, edges);
  const [centre, radius] = [sunCentre(geometry), DISC_RADII * geometry.rsunPixels];
  return source?.endsAtLimb ? { inner: { ...centre, radius: -radius }, outer: { ...centre, radius }, softness: 0 } : null;
}

/** Pixels [from, to) of a row. */
type Run = { readonly from: number; readonly to: number };

/**
 * Soft edge of a circle, from 0 inside to 1 outside. Compares squared distances, so that most pixels need no square root. A class, because
 * masks of tiles take a sixth longer by closures.
 */
class Edge {
  readonly #circle: Circle;
  readonly #width: number;
  /** Squared distances at which the edge begins and ends. */
  readonly #inside: number;
  readonly #outside: number;

  constructor(circle: Circle, width: number) {
    this.#circle = circle;
    this.#width = width;
    this.#inside = Math.max(0, circle.radius - width) ** 2;
    this.#outside = Math.max(0, circle.radius + width) ** 2;
  }

  /** 0 inside the circle, 1 outside. */
  beyond(px: number, py: number): number {
    const { x, y, radius } = this.#circle;
    const square = (px - x) * (px - x) + (py - y) * (py - y);
    if (square >= this.#outside) return 1;
    if (square < this.#inside) return 0;
    return Math.min(1, Math.max(0, (Math.hypot(px - x, py - y) - radius) / this.#width + 0.5));
  }

  /** Pixels of the row at `y` that lie inside for certain, and those on both sides of them that may not lie outside. */
  spans(y: number, { left, step }: PixelGrid, row: Run): { readonly inside: Run; readonly before: Run; readonly after: Run } {
    const within = (square: number, margin: number): Run => {
      const half = Math.sqrt(Math.max(0, square - (y - this.#circle.y) ** 2)) / step + margin;
      const centre = (this.#circle.x - left) / step - 0.5;
      const from = Math.min(row.to, Math.max(row.from, Math.ceil(centre - half)));
      return { from, to: Math.max(from, Math.min(row.to, Math.floor(centre + half) + 1)) };
    };
    // A pixel more or less, because the root is rounded.
    const [inside, near] = [within(this.#inside, -1), within(this.#outside, 1)];
    return { inside, before: { from: near.from, to: inside.from }, after: { from: inside.to, to: near.to } };
  }
}

/** True when the covered part of the grid lies between the edges of the ring, clear of both. */
function liesInside({ inner, outer, softness }: Ring, grid: PixelGrid, covered: Coverage): boolean {
  const x0 = grid.left + covered.x0 * grid.step;
  const x1 = grid.left + covered.x1 * grid.step;
  const y0 = grid.top + covered.y0 * rowStepOf(grid);
  const y1 = grid.top + covered.y1 * rowStepOf(grid);
  const margin = Math.max(softness, grid.step);
  const nearest = Math.hypot(Math.max(x0 - inner.x, 0, inner.x - x1), Math.max(y0 - inner.y, 0, inner.y - y1));
  const furthest = Math.hypot(Math.max(outer.x - x0, x1 - outer.x), Math.max(outer.y - y0, y1 - outer.y));
  return nearest > inner.radius + margin && furthest < outer.radius - margin;
}

/** Alpha of samples of which exactly black ones are transparent; null when none is. */
export function blackAlpha(samples: Uint8Array): Uint8Array | null {
  const first = samples.indexOf(0);
  if (first < 0) return null;
  const alpha = new Uint8Array(samples.length).fill(255);
  for (let i = first; i < samples.length; i++) if (samples[i] === 0) alpha[i] = 0;
  return alpha;
}

/**
 * Alpha (0 to 255) of the pixels of `grid`, one byte each, with edges smoothed over one output pixel; null when the ring contains
 * the whole covered part.
 */
export function ringAlpha(ring: Ring, grid: PixelGrid, covered: Coverage): Uint8Array | null {
  if (liesInside(ring, grid, covered)) return null;
  const alpha = new Uint8Array(grid.width * grid.height);
  const width = Math.max(ring.softness, grid.step);
  const [inner, outer] = [new Edge(ring.inner, width), new Edge(ring.outer, width)];
  for (let j = covered.y0; j < covered.y1; j++) {
    const y = grid.top + (j + 0.5) * rowStepOf(grid);
    const pixels = { from: covered.x0, to: covered.x1 };
    const [occulted, seen] = [inner.spans(y, grid, pixels), outer.spans(y, grid, pixels)];
    const row = alpha.subarray(j * grid.width, (j + 1) * grid.width);
    row.fill(255, seen.inside.from, seen.inside.to);
    row.fill(0, occulted.inside.from, occulted.inside.to);
    for (const { from, to } of [occulted.before, occulted.after, seen.before, seen.after])
      for (let i = from; i < to; i++) {
        const x = grid.left + (i + 0.5) * grid.step;
        row[i] = Math.round(255 * inner.beyond(x, y) * (1 - outer.beyond(x, y)));
      }
  }
  return alpha;
}
