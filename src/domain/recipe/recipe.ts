// Recipes describe pictures; rendering one twice from the same images gives the same bytes.
import { predecessorAt } from '../catalogue/sources.ts';
import type { EventSelection } from './events/selection.ts';
import type { Layer } from './layers.ts';
import type { Overlays } from './overlays.ts';
import type { FieldOfView } from './region.ts';

/** Everything about a picture except its time; the frames of a movie share one scene. */
export interface Scene extends FieldOfView {
  /** From the bottom to the top. */
  readonly layers: readonly Layer[];
  readonly events: EventSelection;
  readonly overlays: Overlays;
  /** Renders without colour tables. */
  readonly grayscale: boolean;
  /** Replaces SDO sources by those of SOHO at times before SDO. */
  readonly switchSources: boolean;
}

export interface Recipe extends Scene {
  /** Each layer shows its image nearest to this time, in whole milliseconds since 1970. */
  readonly atMs: number;
  /**
   * Magnification of overlays, for frames of large movies; unset for 1. Not part of the canonical string, because requests
   * for pictures do not have it.
   */
  readonly overlayMagnification?: number;
}

/** The source whose images a layer shows at a time. */
export function shownSourceId(scene: Pick<Scene, 'switchSources'>, layer: Layer, atMs: number): number {
  return scene.switchSources ? predecessorAt(layer.sourceId, atMs) : layer.sourceId;
}
