// Layers of the timeline of images, as the web client sends them: `[13,1,100],[10,1,60],` or
// `[SDO,AIA,171,1,100,0,60,1,2024-01-01T00:00:00.000Z]`.

import { bracketGroups } from '../../picture/groups.ts';
import { layerLabel } from '../../picture/layers.ts';
import { findSource, sourceByNames } from '../catalogue/sources.ts';

/** A line of the timeline. */
export interface CoverageLayer {
  readonly sourceId: number;
  /** Unique in a response, because the client stores the visibility of a line under it. */
  readonly name: string;
}

const MAX_CHARACTERS = 4_000;
/** Elements after the names: visible and opacity, and in longer groups four elements of difference data as well. */
const TAIL = { short: 2, long: 6 };
/** Elements from which a group of names has the long tail, as in layers of pictures. */
const LONG_GROUP = 8;

/** Without the comma at the end that the client adds. */
export function withoutTrailingCommas(text: string): string {
  return text.replace(/(?<![\s,])[\s,]+$/, '');
}

const isOff = (text: string | undefined) => text === undefined || Number(text) === 0 || text === 'false';

function sourceOf(group: readonly string[]): number | null {
  const isNumeric = /^\d+$/.test(group[0] ?? '');
  const end = isNumeric ? 1 : group.length - (group.length >= LONG_GROUP ? TAIL.long : TAIL.short);
  if (end < 1 || isOff(group[end]) || isOff(group[end + 1])) return null;
  const source = isNumeric ? findSource(Number(group[0])) : sourceByNames(group.slice(0, end));
  return source?.id ?? null;
}

/**
 * The visible layers, in the order of the request. Hidden and unknown ones are left out.
 * @throws Failure naming `imageLayers` for text that has no groups
 */
export function parseCoverageLayers(text: string): CoverageLayer[] {
  const notation = { parameter: 'imageLayers', example: '[10,1,100]', maxCharacters: MAX_CHARACTERS };
  const sourceIds = bracketGroups(withoutTrailingCommas(text), notation)
    .map(sourceOf)
    .filter((id) => id !== null);
  return sourceIds.map((sourceId, i) => {
    const earlier = sourceIds.slice(0, i).filter((id) => id === sourceId).length;
    const name = layerLabel({ sourceId });
    return { sourceId, name: earlier === 0 ? name : `${name} (${earlier + 1})` };
  });
}
