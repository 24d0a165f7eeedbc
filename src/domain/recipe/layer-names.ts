// Names of layers in file names, watermarks and titles.
import { pathOf } from '../catalogue/datasource.ts';
import { findSource } from '../catalogue/sources.ts';
import { formatIso } from '../time.ts';
import type { Recipe } from './recipe.ts';

interface OfSource {
  readonly sourceId: number;
}

/** `SDO AIA 171`: the names of the source's levels. */
export function layerLabel({ sourceId }: OfSource): string {
  const source = findSource(sourceId);
  return source
    ? pathOf(source)
        .map((level) => level.name)
        .join(' ')
    : '';
}

/** `SDO AIA 171, SOHO LASCO C2 white-light` */
export function layersTitle(layers: readonly OfSource[]): string {
  return layers.map(layerLabel).join(', ');
}

/** `AIA_171__LASCO_C2`: source nicknames without blanks and slashes. */
export function layersFileName(layers: readonly OfSource[]): string {
  return layers.map(({ sourceId }) => (findSource(sourceId)?.nickname ?? '').replace(/[ /]/g, '_')).join('__');
}

/** `2024_01_01_12_00_00_AIA_171__LASCO_C2.png`: the requested time and the layers. */
export function screenshotFileName({ atMs, layers }: Pick<Recipe, 'atMs' | 'layers'>): string {
  const date = formatIso(atMs).slice(0, 19).replace(/[-:T]/g, '_');
  return `${date}_${layersFileName(layers)}.png`;
}
