// The picture of the explorer, and its address: the notations of the API and of the links of helioviewer.org, so that both are understood.
import type { PlanePoint } from '../../sun/coordinates/picture-plane.ts';
import { formatIso, parseWrittenDate } from '../../sun/time.ts';
import type { EventLayer } from '../events/event-layers.ts';
import { isDrawn, type Layer, type LayerNote, plainLayer, printLayers } from '../layers.ts';
import { layerParameters } from '../operations/operations.ts';
import type { Overlays } from '../overlays/overlays.ts';
import type { Picture } from '../picture.ts';
import { PLANE, printProjection } from '../projection.ts';

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

/** A picture with hidden layers too, whose time and field of view follow from its images and the screen where they are null. */
export interface View extends Pick<Picture, 'layers'>, Required<Pick<Picture, 'projection'>> {
  /** Null for the newest image of the lowest layer. */
  readonly atMs: Picture['atMs'] | null;
  /** In the screen plane of the projection. Null: the whole of the largest image. */
  readonly centre: PlanePoint | null;
  /** Arcseconds per screen pixel; null: the whole of the largest image. */
  readonly imageScale: Picture['imageScaleArcsecPerPixel'] | null;
  readonly events: readonly EventLayer[];
  readonly overlays: { readonly [O in ViewOverlay]: boolean };
}

/** A part of an address that the page cannot show as it is, or that it read in another sense. */
export type Note =
  | LayerNote
  | {
      readonly kind: 'bad-date' | 'bad-play' | 'bad-projection' | 'bad-place' | 'unknown-event' | 'unknown-view';
      readonly given: string;
    }
  /** No source of the address has images. `given`, `instead`: names of sources. */
  | { readonly kind: 'no-images'; readonly given: string; readonly instead: string }
  /** Every layer of the address is hidden. `instead`: name of the one that is shown. */
  | { readonly kind: 'all-hidden'; readonly instead: string }
  /** An observer without an ephemeris at the time. */
  | { readonly kind: 'no-observer'; readonly given: string }
  /** The browser has no WebGL 2 for the projection of the address. */
  | { readonly kind: 'no-projection' }
  /** A centre without its other coordinate or without a scale. */
  | { readonly kind: 'half-place'; readonly given: string }
  /** The sample archive, at its rich day, where the newest image was meant. `given`: the day. */
  | { readonly kind: 'sample'; readonly given: string };

export const NEWEST_SUN: View = {
  atMs: null,
  layers: [plainLayer(10)],
  projection: PLANE,
  centre: null,
  imageScale: null,
  events: [],
  overlays: viewOverlays(() => false),
};

interface PlayedRange {
  readonly startMs: number;
  readonly endMs: number;
}

/** As an address states it in `play`: `2024-05-10T12:00:00Z/2024-05-10T13:00:00Z`. */
export const printPlay = ({ startMs, endMs }: PlayedRange): string => `${formatIso(startMs)}/${formatIso(endMs)}`;

/** Null for a text that is no range, or whose end is not after its start. Times without a zone are UTC, as everywhere. */
export function readPlay(text: string | null): PlayedRange | null {
  const [startMs = Number.NaN, endMs = Number.NaN] = (text ?? '').split('/').map((part) => parseWrittenDate(part) ?? Number.NaN);
  return startMs < endMs ? { startMs, endMs } : null;
}

/** The visible layers, and the parameters of their operations, as requests of the API name them. */
export function drawnLayers(layers: readonly Layer[]): { readonly layers: string } & Readonly<Record<string, string>> {
  const drawn = layers.filter(isDrawn);
  return { layers: printLayers(drawn, formatIso), ...layerParameters(drawn) };
}

/** Types of events in the notation of the API. */
export function printEventLayers(events: readonly EventLayer[]): string {
  return events.map(({ pin, methods }) => `[${pin},${methods?.join(';') ?? 'all'},1]`).join(',');
}

const rounded = (value: number, digits: number) => String(Number(value.toFixed(digits)));

/** The query of a view, without `?`. Commas and colons stay readable, which queries allow (RFC 3986, section 3.4), and brackets, as browsers leave them. */
export function printAddress({ atMs, layers, centre, imageScale, events, overlays, ...view }: View): string {
  const pairs: [string, string][] = [];
  if (atMs !== null) pairs.push(['date', formatIso(atMs)]);
  pairs.push(['imageLayers', printLayers(layers, formatIso)], ...Object.entries(layerParameters(layers)));
  const projection = printProjection(view.projection, 1);
  if (projection) pairs.push(['projection', projection]);
  if (centre) pairs.push(['centerX', rounded(centre.x, 2)], ['centerY', rounded(centre.y, 2)]);
  if (imageScale !== null) pairs.push(['imageScale', rounded(imageScale, 6)]);
  if (events.length > 0) pairs.push(['eventLayers', printEventLayers(events)]);
  for (const [name, parameter] of Object.entries(VIEW_OVERLAYS))
    if (overlays[name as keyof typeof overlays]) pairs.push([parameter, 'true']);
  return pairs.map(([name, value]) => `${name}=${value}`).join('&');
}
