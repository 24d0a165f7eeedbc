// Layers of the timeline of images: `[13,1,100],[10,1,60],` or `[SDO,AIA,171,1,100,0,60,1,2024-01-01T00:00:00.000Z]`.

import { isDrawn, layerLabel, layersIn } from '../../picture/layers.ts';
import { bracketGroups, withoutTrailingCommas } from '../../picture/notation.ts';

export interface CoverageLayer {
  readonly sourceId: number;
  /** Unique in a response, because the client stores the visibility of a line under it. */
  readonly name: string;
}

const MAX_CHARACTERS = 4_000;

/** The visible layers in the order of the request, without unknown ones. @throws Failure naming `imageLayers` for text without groups */
export function parseCoverageLayers(text: string): CoverageLayer[] {
  const notation = { parameter: 'imageLayers', example: '[10,1,100]', maxCharacters: MAX_CHARACTERS };
  const groups = bracketGroups(withoutTrailingCommas(text), notation);
  const layers = layersIn(groups, {}, () => undefined).filter(isDrawn);
  return layers.map(({ sourceId }, i) => {
    const earlier = layers.slice(0, i).filter((layer) => layer.sourceId === sourceId).length;
    const name = layerLabel({ sourceId });
    return { sourceId, name: earlier === 0 ? name : `${name} (${earlier + 1})` };
  });
}
