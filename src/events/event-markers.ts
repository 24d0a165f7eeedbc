// Markers on an image: events, movies that users have published, and celestial bodies.
import type { FrameMarkers } from '../archive/drawing/frame-renderer.ts';
import { viewpointOf } from '../archive/drawing/projection-check.ts';
import type { StateTables } from '../archive/state-tables.ts';
import { selectedBy } from '../picture/events/selection.ts';
import { seenBodies } from '../picture/overlays/bodies.ts';
import type { EventMarker } from '../picture/overlays/drawing/event-markers.ts';
import type { MovieMarker } from '../picture/overlays/overlay.ts';
import type { Picture } from '../picture/picture.ts';
import type { Projection } from '../picture/projection.ts';
import { mappingOf } from '../picture/projections/projections.ts';
import { DAY_MS, HOUR_MS } from '../platform/util/durations.ts';
import { Service } from '../platform/util/service.ts';
import { pictureObserver } from '../sun/coordinates/observer.ts';
import { outlineAt, type Side } from '../sun/coordinates/outline.ts';
import type { PlanePoint } from '../sun/coordinates/picture-plane.ts';
import type { Point } from '../sun/coordinates/rings.ts';
import { eventPositionAt, type Viewpoint } from '../sun/coordinates/sphere.ts';
import { findEventType, pinLetters, UNKNOWN_TYPE_COLOUR } from '../sun/events/event-types.ts';
import type { SolarEvent } from '../sun/events/solar-event.ts';
import type { SourceState } from './event-days.ts';
import type { EventService, LookupOptions } from './event-service.ts';

interface KnownMarkers extends FrameMarkers {
  /** States of the event sources; unset for an image without events. */
  readonly sources?: readonly SourceState[];
}

export type MarkerSource = Pick<EventMarkers, 'markers'>;

export const failedSources = (sources: readonly SourceState[]): string[] =>
  sources.filter(({ state }) => state === 'failed').map(({ source }) => source);

const UNKNOWN_PIN = 'UNK';

/** Fastest apparent motion of solar rotation: at disk centre, from 1 au. */
const FASTEST_ARCSEC_PER_HOUR = 9.2;
/** Largest distance of an event from its anchor, below the gap between a label and its own pin. */
const FARTHEST_PX = 8;

/** The middle of the span around a time by which labels are placed: a UTC day halved until nothing moves further than 8 pixels in it. */
function anchorTime(atMs: number, scaleArcsecPerPixel: number): number {
  const longestMs = ((2 * FARTHEST_PX * scaleArcsecPerPixel) / FASTEST_ARCSEC_PER_HOUR) * HOUR_MS;
  let spanMs = DAY_MS;
  while (spanMs > longestMs) spanMs /= 2;
  return (Math.floor(atMs / spanMs) + 0.5) * spanMs;
}

/** Finds the pixel of a point of the plane that the Earth's observer sees, y down; null where the projection does not show it. */
type PixelOf = (x: number, y: number) => Point | null;

function pixelsOf({ region, imageScaleArcsecPerPixel, projection, atMs }: Picture): PixelOf {
  const mapping = projection && mappingOf(projection, pictureObserver(atMs));
  return (x, y) => {
    const point = mapping ? mapping.ofPlane({ x, y }) : { x, y };
    return point && [(point.x - region.left) / imageScaleArcsecPerPixel, (point.y - region.top) / imageScaleArcsecPerPixel];
  };
}

/** Whether a contour goes around a picture with a seam, through its middle. */
const isTorn = (contour: readonly Point[], { projection, imageScaleArcsecPerPixel, atMs }: Picture): boolean => {
  const { width = Number.POSITIVE_INFINITY } = projection ? mappingOf(projection, pictureObserver(atMs)) : {};
  return contour.some(([x], i) => Math.abs(x - contour.at(i - 1)![0]) > width / 2 / imageScaleArcsecPerPixel);
};

/** Whether an event is shown behind the limb too: its outlines do not come from what the Earth sees. */
const isKnownAround = ({ position, outlines }: SolarEvent) => position.kind === 'stonyhurst' && outlines.length > 0;

type ShownEvent = ReturnType<typeof shownEvents>[number];

function shownEvents(recipe: Picture, events: readonly SolarEvent[]) {
  const anchorMs = anchorTime(recipe.atMs, recipe.imageScaleArcsecPerPixel * (recipe.overlayMagnification ?? 1));
  return events.flatMap((event) => {
    const entry = selectedBy(recipe.events, event);
    const position = entry && eventPositionAt(event.position, recipe.atMs);
    if (!position || !(position.isVisible || isKnownAround(event))) return [];
    return [{ event, entry, position, anchor: eventPositionAt(event.position, anchorMs) }];
  });
}

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Order from north to south, from east to west, by id. Events that pass each other swap places at the next anchor time. */
const byPosition = (a: ShownEvent, b: ShownEvent): number =>
  b.anchor.y - a.anchor.y || a.anchor.x - b.anchor.x || byText(a.event.id, b.event.id);

function markerOf({ event, entry, position, anchor }: ShownEvent, recipe: Picture, pixelOf: PixelOf): EventMarker[] {
  // Ejections and flares of all sources have the pins of ejections and flares, as in the client.
  const type = findEventType(event.type) ?? findEventType(event.pin);
  const { outlines } = event;
  const onSide = (side: Side) =>
    outlines.flatMap((outline) => {
      const seen = outlineAt(outline, event.position, recipe.atMs, side);
      const contour = seen?.map(([x, y]) => pixelOf(x, -y)).filter((point) => point !== null);
      return contour && !isTorn(contour, recipe) ? [contour] : [];
    });
  const at = pixelOf(position.x, -position.y);
  if (!at) return [];
  const ghosts = recipe.projection ? [] : onSide('far');
  return [
    {
      pin: type ? pinLetters(type) : UNKNOWN_PIN,
      colour: type?.colour ?? UNKNOWN_TYPE_COLOUR,
      x: at[0],
      y: at[1],
      anchor: pixelOf(anchor.x, -anchor.y) ?? at,
      label: entry.labels && event.label !== '' ? event.label.split('\n') : [],
      polygons: onSide('near'),
      ...(ghosts.length ? { ghosts } : {}),
      ...(position.isVisible ? {} : { isBehind: true }),
    },
  ];
}

export class EventMarkers extends Service<{
  readonly events: Pick<EventService, 'eventsAt'>;
  /** Published movies with the centres of their fields of view. */
  readonly videos?: { videosAt(atMs: number): Promise<readonly (PlanePoint & { readonly label: string })[]> };
  readonly stateTables: Pick<StateTables, 'solarSystem'>;
}> {
  /** The selected events and bodies at the time of the recipe, and the movies that cover it if the recipe shows them, in pixels of its image. */
  async markers(recipe: Picture, options?: LookupOptions): Promise<KnownMarkers> {
    const viewer = await this.#viewer(recipe);
    const picture = viewer ? { ...recipe, projection: { ...recipe.projection, from: viewer } as Projection } : recipe;
    const [events, movies, bodies] = await Promise.all([
      this.#eventMarkers(picture, options),
      this.#movieMarkers(picture),
      this.#seenBodies(picture),
    ]);
    return { ...events, ...(movies.length ? { movies } : {}), ...bodies, ...(viewer ? { viewer } : {}) };
  }

  async #viewer({ projection, atMs }: Picture): Promise<Viewpoint | null> {
    if (projection?.kind !== 'observer') return null;
    return viewpointOf(await this.ports.stateTables.solarSystem(), projection.body, atMs);
  }

  async #eventMarkers(recipe: Picture, options?: LookupOptions): Promise<Pick<KnownMarkers, 'events' | 'sources'>> {
    if (recipe.events.length === 0) return {};
    const sources = recipe.events.map(({ source }) => source);
    const { events, states } = await this.ports.events.eventsAt(recipe.atMs, sources, options);
    const shown = shownEvents(recipe, events).sort(byPosition);
    const pixelOf = pixelsOf(recipe);
    return { sources: states, ...(shown.length ? { events: shown.flatMap((each) => markerOf(each, recipe, pixelOf)) } : {}) };
  }

  async #seenBodies({ overlays, atMs, projection }: Picture): Promise<Pick<FrameMarkers, 'bodies'>> {
    if (!overlays.bodies) return {};
    const bodies = seenBodies(await this.ports.stateTables.solarSystem(), overlays.bodies, atMs);
    if (!projection) return { bodies };
    const { isOfPicture, ofPlane } = mappingOf(projection, pictureObserver(atMs));
    if (!isOfPicture) return {};
    const moved = <P extends PlanePoint>(points: readonly P[]): P[] =>
      points.flatMap((point) => [ofPlane(point)].flatMap((at) => (at ? [{ ...point, ...at }] : [])));
    const trajectories = bodies.trajectories.map((part) => ({ ...part, points: moved(part.points) }));
    return { bodies: { labels: moved(bodies.labels), trajectories } };
  }

  async #movieMarkers(recipe: Picture): Promise<MovieMarker[]> {
    if (!recipe.overlays.movieIcons || !this.ports.videos) return [];
    const videos = await this.ports.videos.videosAt(recipe.atMs);
    const pixelOf = pixelsOf(recipe);
    return videos.flatMap(({ x, y, label }) => {
      const at = pixelOf(x, y);
      return at ? [{ x: at[0], y: at[1], label }] : [];
    });
  }
}
