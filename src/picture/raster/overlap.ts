// Layers of several observers on one Sun: each place is the mean of what they show there, by how well each sees it.
import { allocate, bytesAt, copyIn, withCore } from '../../jp2/core/core.ts';
import type { Circle } from '../../sun/image.ts';
import { WEIGHT_STEP } from '../projections/sharing.ts';
import type { LayerPixels } from './compose.ts';

/** A layer with its weights, and the numbers of the layers next below with which it shares places. */
export interface SharedLayer {
  /** 0 for a place that the layer does not see. */
  weightAt(x: number, y: number): number;
  /** The weight beside the disc of the Sun. */
  readonly beside: number;
  readonly below: readonly number[];
}

/** Writes how much a layer shows of each pixel. */
function writeAlpha(out: Uint8Array, { width, covered: { x0, y0, x1, y1 }, alpha }: LayerPixels): void {
  out.fill(0);
  for (let from = y0 * width; from < y1 * width; from += width)
    if (alpha) out.set(alpha.subarray(from + x0, from + x1), from + x0);
    else out.fill(255, from + x0, from + x1);
}

/**
 * Gives layers that are drawn one over the other the alphas by which they become such means. Other layers are left as they are.
 * @param top Row of the picture at which the pixels begin
 * @param disc Of the Sun in the pixels of the picture; unset where nothing is shown beside it
 * @throws Jp2Error (too-large) when they do not fit the core's memory
 */
export function sharePlaces(
  layers: readonly LayerPixels[],
  shared: readonly (SharedLayer | null)[],
  top: number,
  disc: Circle = { x: 0, y: 0, radius: Number.POSITIVE_INFINITY },
): readonly LayerPixels[] {
  const own = [...layers.keys()].filter((i) => shared[i]);
  if (own.length === 0) return layers;
  const { width, height } = layers[0]!;
  const [pixels, columns, first] = [width * height, Math.ceil(width / WEIGHT_STEP) + 1, Math.floor(top / WEIGHT_STEP)];
  const rows = Math.floor((top + height - 1) / WEIGHT_STEP) - first + 2;
  const nodes = new Float32Array(own.length * rows * columns);
  for (let k = 0; k < nodes.length; k++) {
    const row = Math.floor(k / columns);
    nodes[k] = shared[own[Math.floor(row / rows)]!]!.weightAt((k % columns) * WEIGHT_STEP, (first + (row % rows)) * WEIGHT_STEP);
  }
  return withCore((core) => {
    const below = Int32Array.from(own, (i) => shared[i]!.below.length);
    const besides = Float32Array.from(own, (i) => shared[i]!.beside);
    const around = [copyIn(core, besides), disc.x, disc.y - top, disc.radius ** 2] as const;
    const grid = [copyIn(core, nodes), columns, rows, top - first * WEIGHT_STEP] as const;
    const stride = pixels + 8;
    const [alphas, out] = [allocate(core, own.length * stride), allocate(core, own.length * stride)];
    const scratch = allocate(core, 4 * WEIGHT_STEP * columns * own.length);
    for (const [k, i] of own.entries()) writeAlpha(bytesAt(core, alphas + k * stride, pixels), layers[i]!);
    core.shareAlphas(...grid, alphas, stride, width, height, copyIn(core, below), own.length, ...around, scratch, out);
    return layers.map((layer, i) =>
      shared[i]?.below.length ? { ...layer, alpha: bytesAt(core, out + own.indexOf(i) * stride, pixels).slice() } : layer,
    );
  });
}
