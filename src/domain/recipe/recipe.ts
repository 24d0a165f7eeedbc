// A picture as data: the same recipe gives the same bytes.
import { predecessorAt } from '../catalogue/sources.ts';
import type { EventSelection } from './events/selection.ts';
import type { Layer } from './layers.ts';
import type { Overlays } from './overlays.ts';
import type { FieldOfView } from './region.ts';

/** All of a picture but its time: what the frames of a movie share. */
export interface Scene extends FieldOfView {
  /** From the bottom to the top. */
  readonly layers: readonly Layer[];
  readonly events: EventSelection;
  readonly overlays: Overlays;
  /** Without colour tables. */
  readonly grayscale: boolean;
  /** At times before SDO, the sources of SOHO stand in for its own. */
  readonly switchSources: boolean;
}

export interface Recipe extends Scene {
  /** Each layer shows its image that is nearest to this time: whole milliseconds since 1970. */
  readonly atMs: number;
  /**
   * How much larger than in other pictures overlays are drawn, in frames of large movies; unset: as large. No part of the canonical
   * string: no request for a picture has it.
   */
  readonly overlayMagnification?: number;
}

/** The source whose images a layer shows at a time. */
export function shownSourceId(scene: Pick<Scene, 'switchSources'>, layer: Layer, atMs: number): number {
  return scene.switchSources ? predecessorAt(layer.sourceId, atMs) : layer.sourceId;
}
