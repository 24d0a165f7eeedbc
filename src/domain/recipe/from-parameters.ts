// Builds a recipe from the typed parameters of a request.
import { badParameter } from '../errors.ts';
import { eventsStateOf, parseEventsState } from './events/events-state.ts';
import { parseEventsText } from './events/events-text.ts';
import type { EventSelection } from './events/selection.ts';
import { parseLayers } from './layers.ts';
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

function parseEvents({ events, eventsState, eventLabels, eventsLabels }: EventParameters): EventSelection {
  if (eventsState !== undefined) return bounded(parseEventsState(eventsState), 'eventsState');
  if (typeof events === 'string') return bounded(parseEventsText(events, eventLabels ?? eventsLabels ?? false), 'events');
  return events === undefined ? [] : bounded(parseEventsState(events, 'events'), 'events');
}

/** @throws Failure for a selection that is too long to be stored */
function bounded(selection: EventSelection, parameter: string): EventSelection {
  const most = RECIPE_LIMITS.eventsCharacters;
  const { length } = JSON.stringify(eventsStateOf(selection));
  if (length <= most) return selection;
  throw badParameter(parameter, `a selection of events with at most ${most} characters`, length);
}

/**
 * The scene of a request.
 * @throws Failure naming the parameter at fault
 */
export function sceneFromParameters(parameters: SceneParameters): Scene {
  const layers = parseLayers(parameters.layers);
  const events = parseEvents(parameters);
  const overlays = parseOverlays(parameters);
  const field = parseRegion(parameters);
  return { layers, ...field, events, overlays, grayscale: false, switchSources: parameters.switchSources ?? false };
}

/**
 * The recipe of a screenshot. `adjusted`: its scale is coarser than requested, because the picture would be too large.
 * @throws Failure naming the parameter at fault
 */
export function recipeFromScreenshotParameters(parameters: ScreenshotParameters): { recipe: Recipe; adjusted: boolean } {
  const scene = sceneFromParameters(parameters);
  const recipe = { ...scene, atMs: Math.floor(parameters.date) };
  return { recipe, adjusted: recipe.imageScaleArcsecPerPixel !== parameters.imageScale };
}
