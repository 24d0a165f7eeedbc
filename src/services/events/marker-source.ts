// Where the markers of a picture come from: its events, and the movies that users made of its place.
import type { Recipe } from '../../domain/recipe/recipe.ts';
import type { SourceState, Waiting } from '../../ports/event-lookup.ts';
import type { FrameMarkers } from '../rendering/frame-renderer.ts';

export interface KnownMarkers extends FrameMarkers {
  /** How the sources of the events answered; unset for a picture without events. */
  readonly sources?: readonly SourceState[];
}

export interface MarkerSource {
  /** The markers of what the recipe selects, in pixels of its picture. */
  markers(recipe: Recipe, waiting?: Waiting): Promise<KnownMarkers>;
}

/** The sources of which events are missing. */
export function failedSources(sources: readonly SourceState[]): string[] {
  return sources.filter(({ state }) => state === 'failed').map(({ source }) => source);
}

/** For an archive without events. */
export const NO_MARKERS: MarkerSource = { markers: async () => ({}) };
