import type { Jp2Index } from '../../imaging/jp2/sidecar.ts';

/** Resolution levels that can be discarded in every tile and component. */
export function discardableLevels(index: Jp2Index): number {
  return Math.min(...index.tiles.flatMap((tile) => tile.components.map((tc) => tc.coding.levels)));
}

/** Levels to discard so that the longer side has at most `side` samples; as many as there are when none is so small. */
export function coarsestLevels(index: Jp2Index, side: number): number {
  const longer = Math.max(index.size.x1 - index.size.x0, index.size.y1 - index.size.y0);
  return Math.min(discardableLevels(index), Math.max(0, Math.ceil(Math.log2(longer / side))));
}
