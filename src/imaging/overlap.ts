// Layers of several observers on one Sun: each place is the mean of what they see there, by how well each sees it.
import type { LayerPixels } from './compose.ts';

/** A layer with its weights, and the numbers of the layers next below with which it shares places. */
export interface SharedLayer {
  /** 0 for a pixel that the layer does not show. */
  weightAt(x: number, y: number): number;
  readonly below: readonly number[];
}

/** Pixels between computed shares. */
const NODE = 8;

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
  const columns = Math.ceil(width / NODE) + 1;
  // A row of nodes more on both sides, so that shares do not depend on where a strip begins.
  const first = Math.floor(top / NODE) - 1;
  const rows = Math.floor((top + height - 1) / NODE) - first + 3;
  const isDrawn = ({ covered }: LayerPixels) => covered.x1 > covered.x0;
  const weights = layers.map((pixels, i) => {
    const layer = isDrawn(pixels) ? shared[i] : null;
    const at = (k: number) => layer!.weightAt((k % columns) * NODE, (first + Math.floor(k / columns)) * NODE);
    return layer ? Float64Array.from({ length: columns * rows }, (_, k) => at(k)) : null;
  });
  return layers.map((pixels, i) => {
    const own = weights[i];
    const below = (shared[i]?.below ?? []).filter((j) => weights[j]);
    if (!own || below.length === 0) return pixels;
    const sums = own.map((weight, k) => below.reduce((sum, j) => sum + weights[j]![k]!, weight));
    // A node that no layer shows has the share of those around it, so that none stands out at the limb of all.
    const shares = own.map((weight, k) => {
      if (sums[k]! > 0) return weight / sums[k]!;
      const around = [k - 1, k + 1, k - columns, k + columns, k - columns - 1, k - columns + 1, k + columns - 1, k + columns + 1];
      const shown = around.filter((at) => sums[at]! > 0 && Math.abs((at % columns) - (k % columns)) <= 1);
      return shown.length === 0 ? 1 : shown.reduce((sum, at) => sum + own[at]! / sums[at]!, 0) / shown.length;
    });
    const alpha = pixels.alpha?.slice() ?? new Uint8Array(width * height).fill(255);
    const others = below.map((j) => layers[j]!.alpha);
    for (let y = 0; y < height; y++) {
      const row = Math.floor((top + y) / NODE) - first;
      const part = (top + y + 0.5) / NODE - first - row;
      for (let column = 0; column < columns - 1; column++) {
        const k = row * columns + column;
        const left = shares[k]! + part * (shares[k + columns]! - shares[k]!);
        const right = shares[k + 1]! + part * (shares[k + columns + 1]! - shares[k + 1]!);
        if (left === 1 && right === 1) continue;
        const end = y * width + Math.min(width, (column + 1) * NODE);
        const step = (right - left) / NODE;
        for (let at = y * width + column * NODE, share = left + step / 2; at < end; at++, share += step) {
          // What no other layer shows stays whole.
          for (let other = 0; other < others.length; other++) {
            if (others[other]?.[at] === 0) continue;
            alpha[at] = alpha[at]! * share + 0.5;
            break;
          }
        }
      }
    }
    return { ...pixels, alpha };
  });
}
