// What a picture is. Parameters of the API, canonical strings (recipe.ts), movies, addresses of the page and saved states are notations of a
// picture or of a part of it; its keys are made by key.ts.
import type { EventSource } from '../sun/events/event-types.ts';
import type { Layer } from './layers.ts';
import type { Operations } from './operations/operations.ts';
import type { Overlays } from './overlays/overlays.ts';
import type { Projection } from './projection.ts';
import type { FieldOfView } from './region.ts';

/**
 * Names below a source: category, recognition method or group and deeper groups, and event (its id or its label). A prefix chooses all
 * events below it, the empty path all of the source. Names are keys of `nameKey`, except ids in a selection by pins.
 */
export type EventPath = readonly string[];

export interface SourceSelection {
  readonly source: EventSource;
  /** Whether the events are labelled. */
  readonly labels: boolean;
  /** How recipes spell the paths: by pins (`layers`) as the first recipes did, or as paths (`layers_v2`). */
  readonly notation: 'pins' | 'paths';
  /** Sorted, disjoint and not empty. */
  readonly paths: readonly EventPath[];
}

/** One entry per source with selected events, in the order of EVENT_SOURCES. */
export type EventSelection = readonly SourceSelection[];

/** Layers at a time in a field of view, under overlays and events. */
export interface Picture extends FieldOfView {
  /** Each layer shows its image nearest to this time, in whole milliseconds since 1970. */
  readonly atMs: number;
  /** From the bottom to the top. */
  readonly layers: readonly Layer[];
  readonly events: EventSelection;
  readonly overlays: Overlays;
  /** Shows sources of SOHO in place of SDO at times before SDO. */
  readonly switchSources: boolean;
  /** The region is a part of its screen plane. Absent for the plane. */
  readonly projection?: Projection;
  /**
   * Magnification of overlays, for frames of large movies; unset for 1. Not part of the canonical string, because requests
   * for pictures do not have it.
   */
  readonly overlayMagnification?: number;
}

/** Everything about a picture except its time; the frames of a movie share one scene. */
export type Scene = Omit<Picture, 'atMs' | 'overlayMagnification'>;

/** A picture of one image: `V` is what it shows of it, as a tile or a size, and the format. */
export type ImagePicture<V> = Operations & V & { readonly id: number };
