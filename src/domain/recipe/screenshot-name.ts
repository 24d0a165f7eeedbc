import { formatIso } from '../time.ts';
import { layersFileName } from './layer-names.ts';
import type { Recipe } from './recipe.ts';

/** `2024_01_01_12_00_00_AIA_171__LASCO_C2.png`: the time that was asked for and the layers. */
export function screenshotFileName({ atMs, layers }: Pick<Recipe, 'atMs' | 'layers'>): string {
  const date = formatIso(atMs).slice(0, 19).replace(/[-:T]/g, '_');
  return `${date}_${layersFileName(layers)}.png`;
}
