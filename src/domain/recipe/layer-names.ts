// What files, watermarks and titles call layers.
import { pathOf } from '../catalogue/datasource.ts';
import { findSource } from '../catalogue/sources.ts';

interface OfSource {
  readonly sourceId: number;
}

/** `SDO AIA 171`: the names of the levels of its source. */
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

/** `AIA_171__LASCO_C2`: what the name of a file says of its layers, without blanks and slashes. */
export function layersFileName(layers: readonly OfSource[]): string {
  return layers.map(({ sourceId }) => (findSource(sourceId)?.nickname ?? '').replace(/[ /]/g, '_')).join('__');
}
