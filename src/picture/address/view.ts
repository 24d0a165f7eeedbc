// The picture of the explorer, as its address states it.
import type { PlanePoint } from '../../domain/coordinates/picture-plane.ts';
import type { Overlays } from '../../domain/overlays/overlays.ts';
import type { EventLayer } from '../events/event-layers.ts';
import { type Layer, type LayerNote, plainLayer } from '../layers.ts';
import { PLANE, type Projection } from '../projection.ts';

/**
 * What the explorer shows beside images, and its parameters in addresses: the solar grid, the Earth to scale, planets and probes with
 * trajectories, and below the layers of a projection of the surface the map of the last 27 days.
 */
export const VIEW_OVERLAYS = { grid: 'grid', scale: 'earth', bodies: 'bodies', map: 'map' } as const satisfies Partial<
  Record<keyof Overlays | 'map', string>
>;

type ViewOverlay = keyof typeof VIEW_OVERLAYS;

export const viewOverlays = (isShown: (name: ViewOverlay) => boolean): View['overlays'] =>
  Object.fromEntries(Object.keys(VIEW_OVERLAYS).map((name) => [name, isShown(name as ViewOverlay)])) as View['overlays'];

/** The parts of a picture that an address states, with null for those that follow from its images and the screen. */
export interface View {
  readonly layers: readonly Layer[];
  readonly projection: Projection;
  /** Null for the newest image of the lowest layer. */
  readonly atMs: number | null;
  /** In the screen plane of the projection. Null: the whole of the largest image. */
  readonly centre: PlanePoint | null;
  /** Arcseconds per screen pixel; null: the whole of the largest image. */
  readonly imageScale: number | null;
  readonly events: readonly EventLayer[];
  readonly overlays: { readonly [O in ViewOverlay]: boolean };
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
  /** An observer without an ephemeris at the time. */
  | { readonly kind: 'no-observer'; readonly given: string }
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
  overlays: viewOverlays(() => false),
};
