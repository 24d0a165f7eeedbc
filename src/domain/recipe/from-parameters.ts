// Builds a recipe from the typed parameters of a request.
import { badParameter } from '../errors.ts';
import { eventsStateOf, parseEventsState } from './events/events-state.ts';
import { type NotedEvents, parseEventsText } from './events/events-text.ts';
import type { EventSelection } from './events/selection.ts';
import { type Layer, parseLayers } from './layers.ts';
import { RECIPE_LIMITS } from './limits.ts';
import { type OverlayParameters, parseOverlays } from './overlays.ts';
import type { Recipe, Scene } from './recipe.ts';
import { parseRegion, type RegionParameters } from './region.ts';

export interface EventParameters {
  /** The events notation or, in a JSON body, an eventsState object. */
  readonly events?: unknown;
  /** Overrides `events`. */
  readonly eventsState?: unknown;
  /** Labels the events of the notation; an eventsState has its own flag. Clients use both spellings. */
  readonly eventLabels?: boolean | undefined;
  readonly eventsLabels?: boolean | undefined;
}

/** Parameters that screenshots and movies share. */
export interface SceneParameters extends RegionParameters, OverlayParameters, EventParameters {
  /** Layers notation. */
  readonly layers: string;
  readonly switchSources?: boolean | undefined;
}

export interface ScreenshotParameters extends SceneParameters {
  /** Milliseconds since 1970. */
  readonly date: number;
}

function parseEvents({ events, eventsState, eventLabels, eventsLabels }: EventParameters): NotedEvents {
  if (eventsState !== undefined) return { selection: parseEventsState(eventsState), unknownPins: [] };
  if (typeof events === 'string') return parseEventsText(events, eventLabels ?? eventsLabels ?? false);
  return { selection: events === undefined ? [] : parseEventsState(events, 'events'), unknownPins: [] };
}

/** @throws Failure for a selection that is too long to be stored */
function bounded(selection: EventSelection, parameter: string): EventSelection {
  const most = RECIPE_LIMITS.eventsCharacters;
  const { length } = JSON.stringify(eventsStateOf(selection));
  if (length <= most) return selection;
  throw badParameter(parameter, `a selection of events with at most ${most} characters`, length);
}

/** Values that are valid but probably not meant, as sentences. */
function remarksOn(layers: readonly Layer[], { unknownPins }: NotedEvents): string[] {
  const faint = layers.filter(({ opacity }) => opacity < 1);
  return [
    ...faint.map(({ opacity }) => `The opacity ${opacity} of layers is a percentage: 100 is opaque.`),
    ...[...new Set(unknownPins)].map((pin) => `No type of events has the pin ${pin}.`),
  ];
}

export interface RequestedScene {
  readonly scene: Scene;
  /** Values that are valid but probably not meant, as sentences. */
  readonly remarks: readonly string[];
}

/**
 * The scene of a request.
 * @throws Failure naming the parameter at fault
 */
export function sceneFromParameters(parameters: SceneParameters): RequestedScene {
  const layers = parseLayers(parameters.layers);
  const events = parseEvents(parameters);
  const selection = bounded(events.selection, parameters.eventsState === undefined ? 'events' : 'eventsState');
  const overlays = parseOverlays(parameters);
  const field = parseRegion(parameters);
  const switchSources = parameters.switchSources ?? false;
  const scene = { layers, ...field, events: selection, overlays, grayscale: false, switchSources };
  return { scene, remarks: remarksOn(layers, events) };
}

export interface RequestedPicture {
  readonly recipe: Recipe;
  /** Whether its scale is coarser than requested, because the picture would be too large. */
  readonly adjusted: boolean;
  /** Values that are valid but probably not meant, as sentences. */
  readonly remarks: readonly string[];
}

/**
 * The recipe of a screenshot.
 * @throws Failure naming the parameter at fault
 */
export function recipeFromScreenshotParameters(parameters: ScreenshotParameters): RequestedPicture {
  const { scene, remarks } = sceneFromParameters(parameters);
  const recipe = { ...scene, atMs: Math.floor(parameters.date) };
  return { recipe, adjusted: recipe.imageScaleArcsecPerPixel !== parameters.imageScale, remarks };
}
