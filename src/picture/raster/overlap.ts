// Layers of several observers on one Sun: each place is the mean of what they show there, by how well each sees it.
import { WEIGHT_STEP } from '../projections/sharing.ts';
import type { LayerPixels } from './compose.ts';

/** A layer with its weights, and the numbers of the layers next below with which it shares places. */
export interface SharedLayer {
  /** 0 for a place that the layer does not see. */
  weightAt(x: number, y: number): number;
  readonly below: readonly number[];
}

/** Weights of rows of pixels between nodes. */
class Weights {
  readonly #nodes: Float64Array;
  readonly #columns: number;
  readonly #first: number;

  constructor({ weightAt }: SharedLayer, { width, height }: LayerPixels, top: number) {
    const columns = Math.ceil(width / WEIGHT_STEP) + 1;
    const first = Math.floor(top / WEIGHT_STEP);
    const rows = Math.floor((top + height - 1) / WEIGHT_STEP) - first + 2;
    const at = (k: number) => weightAt((k % columns) * WEIGHT_STEP, (first + Math.floor(k / columns)) * WEIGHT_STEP);
    this.#nodes = Float64Array.from({ length: columns * rows }, (_, k) => at(k));
    this.#columns = columns;
    this.#first = first;
  }

  /** Writes the weights of a row of the picture, times what the layer shows of each pixel. */
  fill(weights: Float64Array, y: number, { covered, width, alpha }: LayerPixels, row: number): void {
    const at = (y + 0.5) / WEIGHT_STEP - this.#first;
    const [above, part] = [Math.floor(at), at - Math.floor(at)];
    const node = (column: number) => {
      const k = above * this.#columns + column;
      return this.#nodes[k]! + part * (this.#nodes[k + this.#columns]! - this.#nodes[k]!);
    };
    weights.fill(0);
    if (row < covered.y0 || row >= covered.y1) return;
    for (let column = 0, left = node(0); column < this.#columns - 1; column++) {
      const right = node(column + 1);
      const step = (right - left) / WEIGHT_STEP;
      const [from, to] = [column * WEIGHT_STEP, Math.min((column + 1) * WEIGHT_STEP, width)];
      for (let x = from, weight = left + step / 2; x < to; x++, weight += step) weights[x] = weight;
      left = right;
    }
    weights.fill(0, 0, covered.x0).fill(0, covered.x1);
    if (alpha) for (let x = covered.x0; x < covered.x1; x++) weights[x]! *= alpha[row * width + x]! / 255;
  }
}

/**
 * Gives layers that are drawn one over the other the alphas by which they become such means. Other layers are left as they are.
 * @param top Row of the picture at which the pixels begin
 */
export function sharePlaces(
  layers: readonly LayerPixels[],
  shared: readonly (SharedLayer | null)[],
  top: number,
): readonly LayerPixels[] {
  const { width, height } = layers[0]!;
  const isDrawn = ({ covered }: LayerPixels) => covered.x1 > covered.x0;
  const weights = layers.map((pixels, i) => (shared[i] && isDrawn(pixels) ? new Weights(shared[i], pixels, top) : null));
  const rows = layers.map(() => new Float64Array(width));
  const below = layers.map((_, i) => (weights[i] ? shared[i]!.below.filter((j) => weights[j]) : []));
  const alphas = layers.map(({ alpha }, i) =>
    below[i]!.length === 0 ? alpha : (alpha?.slice() ?? new Uint8Array(width * height).fill(255)),
  );
  const sums = new Float64Array(width);
  for (let row = 0; row < height; row++) {
    for (const [i, of] of weights.entries()) of?.fill(rows[i]!, top + row, layers[i]!, row);
    for (const [i, others] of below.entries()) {
      if (others.length === 0) continue;
      const [own, alpha, from] = [rows[i]!, alphas[i]!, row * width];
      sums.fill(0);
      for (const j of others) for (let x = 0; x < width; x++) sums[x]! += rows[j]![x]!;
      for (let x = 0; x < width; x++) {
        const whole = alpha[from + x]!;
        if (whole > 0 && sums[x]! > 0) alpha[from + x] = (whole * own[x]!) / (own[x]! + (sums[x]! * whole) / 255) + 0.5;
      }
    }
  }
  return layers.map((pixels, i) => ({ ...pixels, alpha: alphas[i]! }));
}
