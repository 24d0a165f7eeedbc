// Events and other people's movies as markers on a picture.
import { type PlacedEvent, placeAt } from '../../domain/coordinates/event-place.ts';
import { outlineAt } from '../../domain/coordinates/outline.ts';
import type { SolarEvent } from '../../domain/events/solar-event.ts';
import { findEventType, UNKNOWN_TYPE_COLOUR } from '../../domain/recipe/events/pins.ts';
import { type SourceSelection, selectedBy } from '../../domain/recipe/events/selection.ts';
import type { Recipe } from '../../domain/recipe/recipe.ts';
import type { FieldOfView } from '../../domain/recipe/region.ts';
import type { EventMarker, EventPoint } from '../../imaging/overlays/events/event-marker.ts';
import type { MovieMarker } from '../../imaging/overlays/events/movie-icons.ts';
import type { EventLookup, SharedVideoLookup, SourceState, Waiting } from '../../ports/event-lookup.ts';
import { anchorTime } from './anchor-time.ts';
import type { KnownMarkers, MarkerSource } from './marker-source.ts';

interface Lookups {
  readonly events: EventLookup;
  readonly videos?: SharedVideoLookup;
}

interface ShownEvent {
  readonly event: SolarEvent;
  readonly entry: SourceSelection;
  readonly place: PlacedEvent;
  /** Where it is at the anchor of the picture's time. */
  readonly anchor: PlacedEvent;
}

/** Letters on the pin of an event whose type nobody knows. */
const UNKNOWN_PIN = 'UNK';

/** The pixel of region coordinates, y down. */
function pixelOf(x: number, y: number, { region, imageScaleArcsecPerPixel }: FieldOfView): EventPoint {
  return [(x - region.left) / imageScaleArcsecPerPixel, (y - region.top) / imageScaleArcsecPerPixel];
}

/** The entry of the recipe's selection by which an event is shown, or null. */
function entryFor({ events }: Recipe, event: SolarEvent): SourceSelection | null {
  const { source, pin, id, group, label, shortLabel } = event;
  const concept = findEventType(pin)?.concept ?? '';
  const labels = [shortLabel, label, label.replaceAll('\n', ' ')];
  return selectedBy(events, { source, pin, concept, frm: group.name, id, labels });
}

function shownEvents(recipe: Recipe, events: readonly SolarEvent[]): ShownEvent[] {
  const anchorMs = anchorTime(recipe.atMs, recipe.imageScaleArcsecPerPixel * (recipe.overlayMagnification ?? 1));
  const shown = events.flatMap((event): ShownEvent[] => {
    const entry = entryFor(recipe, event);
    return entry ? [{ event, entry, place: placeAt(event.place, recipe.atMs), anchor: placeAt(event.place, anchorMs) }] : [];
  });
  return shown.filter(({ place }) => place.isVisible);
}

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/**
 * From the north to the south, then from east to west, then by id: however the sources order them, pictures stay the same.
 * Events that pass each other change places with the next anchor.
 */
function fromTheTop(a: ShownEvent, b: ShownEvent): number {
  return b.anchor.y - a.anchor.y || a.anchor.x - b.anchor.x || byText(a.event.id, b.event.id);
}

function markerOf({ event, entry, place, anchor }: ShownEvent, recipe: Recipe): EventMarker {
  const type = findEventType(event.pin);
  const outlines = event.outlines.flatMap((outline) => {
    const seen = outlineAt(outline, event.place.atMs, recipe.atMs);
    return seen ? [seen.map(([x, y]) => pixelOf(x, -y, recipe))] : [];
  });
  const [x, y] = pixelOf(place.x, -place.y, recipe);
  return {
    pin: type?.pin ?? UNKNOWN_PIN,
    colour: type?.colour ?? UNKNOWN_TYPE_COLOUR,
    x,
    y,
    anchor: pixelOf(anchor.x, -anchor.y, recipe),
    label: entry.labels && event.label !== '' ? event.label.split('\n') : [],
    polygons: outlines,
  };
}

export class EventMarkers implements MarkerSource {
  readonly #events: EventLookup;
  readonly #videos: SharedVideoLookup | undefined;

  constructor({ events, videos }: Lookups) {
    this.#events = events;
    this.#videos = videos;
  }

  /** The events that the recipe selects where they are at its time, and, where it wants them, the movies that show its time. */
  async markers(recipe: Recipe, waiting?: Waiting): Promise<KnownMarkers> {
    const [events, movies] = await Promise.all([this.#eventMarkers(recipe, waiting), this.#movieMarkers(recipe)]);
    return { ...events, ...(movies.length ? { movies } : {}) };
  }

  async #eventMarkers(recipe: Recipe, waiting?: Waiting): Promise<{ events?: EventMarker[]; sources?: readonly SourceState[] }> {
    if (recipe.events.length === 0) return {};
    const sources = recipe.events.map(({ source }) => source);
    const { events, states } = await this.#events.answer(recipe.atMs, sources, waiting);
    const shown = shownEvents(recipe, events).sort(fromTheTop);
    return { sources: states, ...(shown.length ? { events: shown.map((each) => markerOf(each, recipe)) } : {}) };
  }

  async #movieMarkers(recipe: Recipe): Promise<MovieMarker[]> {
    if (!recipe.overlays.movieIcons || !this.#videos) return [];
    const videos = await this.#videos.videosAt(recipe.atMs);
    return videos.map(({ x, y, label }) => {
      const [left, top] = pixelOf(x, y, recipe);
      return { x: left, y: top, label };
    });
  }
}
