// The view of the explorer, as its address states it.
import type { PlanePoint } from '../../domain/coordinates/picture-plane.ts';
import { type Layer, type LayerNote, plainLayer } from '../layers.ts';
import { PLANE, type Projection } from '../projection.ts';

/** A type of events that is shown. */
export interface EventLayer {
  /** As `FL`. */
  readonly pin: string;
  /** Names of recognition methods as `nameKey` writes them; null: all. */
  readonly methods: readonly string[] | null;
}

export type ViewPoint = PlanePoint;

export interface View {
  /** From the bottom to the top, at most RECIPE_LIMITS.layers. */
  readonly layers: readonly Layer[];
  /** Milliseconds since 1970; null for the newest image of the lowest layer. */
  readonly atMs: number | null;
  readonly projection: Projection;
  /** In the screen plane of the projection. Null: the whole of the largest image. */
  readonly centre: ViewPoint | null;
  /** Arcseconds per screen pixel; null: the whole of the largest image. */
  readonly imageScale: number | null;
  readonly events: readonly EventLayer[];
  /** Solar grid of 15 degrees. */
  readonly hasGrid: boolean;
  /** The Earth to scale. */
  readonly hasEarth: boolean;
  /** Planets and probes with their trajectories. */
  readonly hasBodies: boolean;
}

/** A part of an address that the page cannot show as it is, or that it read in another sense. */
export type Note =
  | LayerNote
  | { readonly kind: 'bad-date' | 'bad-play'; readonly given: string }
  /** No source of the address has images. `given`, `instead`: names of sources. */
  | { readonly kind: 'no-images'; readonly given: string; readonly instead: string }
  /** Every layer of the address is hidden. `instead`: name of the one that is shown. */
  | { readonly kind: 'all-hidden'; readonly instead: string }
  | { readonly kind: 'bad-projection'; readonly given: string }
  /** The browser has no WebGL 2 for the projection of the address. */
  | { readonly kind: 'no-projection' }
  | { readonly kind: 'bad-place'; readonly given: string }
  /** A centre without its other coordinate or without a scale. */
  | { readonly kind: 'half-place'; readonly given: string }
  /** The sample archive, at its rich day, where the newest image was meant. `given`: the day. */
  | { readonly kind: 'sample'; readonly given: string }
  | { readonly kind: 'unknown-event'; readonly given: string }
  | { readonly kind: 'unknown-view'; readonly given: string };

export const NEWEST_SUN: View = {
  atMs: null,
  layers: [plainLayer(10)],
  projection: PLANE,
  centre: null,
  imageScale: null,
  events: [],
  hasGrid: false,
  hasEarth: false,
  hasBodies: false,
};
