// Recipes: the pictures of requests, and their canonical strings. Rendering one twice from the same images gives the same bytes. A member
// added later has a default and comes last, so that older strings stay canonical; movies use the same members for their scenes.
import { badParameter } from '../platform/util/errors.ts';
import { predecessorAt } from '../sun/catalogue/sources.ts';
import type { Region } from '../sun/coordinates/picture-plane.ts';
import { EVENT_DRAWING_VERSION } from '../sun/events/event-types.ts';
import { requestAddress } from '../sun/provenance.ts';
import { parseSelections } from './events/paths.ts';
import { eventsStateOf, type NotedEvents, parseEventsState, parseEventsText } from './events/selection.ts';
import { type Layer, parseLayers, printLayers } from './layers.ts';
import { RECIPE_LIMITS } from './limits.ts';
import { badMember, flagIn, isNumber, type Members, positiveIn, readMembers, stringIn, timeIn } from './notation.ts';
import { LAYER_MEMBERS, type LayerParameters, layerMembers, layerParameters } from './operations/operations.ts';
import type { OverlayParameters } from './overlays/overlays.ts';
import { OVERLAYS, overlayMembers, overlayParameters, overlaysIn, parseOverlays } from './overlays/overlays.ts';
import type { EventSelection, Picture, RegionParameters, Scene } from './picture.ts';
import { fieldOfView, parseRegion } from './picture.ts';
import { parseProjection, printProjection } from './projection.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

/** The source whose images a layer shows at a time. */
export function shownSourceId(scene: Pick<Scene, 'switchSources'>, layer: Layer, atMs: number): number {
  return scene.switchSources ? predecessorAt(layer.sourceId, atMs) : layer.sourceId;
}

interface EventParameters {
  /** The events notation or, in a JSON body, an eventsState object. */
  readonly events?: unknown;
  /** Overrides `events`. */
  readonly eventsState?: unknown;
  /** Overrides both: a list of paths, or paths joined by `;`. */
  readonly event_selections?: unknown;
  /** Visibility by source, beside a list of paths. */
  readonly event_visibility_selections?: unknown;
  /** Labels the events of a notation in text; an eventsState has its own flag. Clients use both spellings. */
  readonly eventLabels?: boolean | undefined;
  readonly eventsLabels?: boolean | undefined;
}

/** Parameters that screenshots and movies share. */
export interface SceneParameters extends RegionParameters, OverlayParameters, EventParameters, LayerParameters {
  /** Layers notation. */
  readonly layers: string;
  readonly switchSources?: boolean | undefined;
  readonly projection?: string | undefined;
}

export interface ScreenshotParameters extends SceneParameters {
  /** Milliseconds since 1970. */
  readonly date: number;
}

function parseEvents({ events, eventsState, eventLabels, eventsLabels, ...paths }: EventParameters): NotedEvents {
  const labels = eventLabels ?? eventsLabels ?? false;
  const { event_selections: selections, event_visibility_selections: visibility } = paths;
  if (selections !== undefined) return parseSelections(selections, visibility, typeof selections !== 'string' || labels);
  if (eventsState !== undefined) return { selection: parseEventsState(eventsState), remarks: [] };
  if (typeof events === 'string') return parseEventsText(events, labels);
  return { selection: events === undefined ? [] : parseEventsState(events, 'events'), remarks: [] };
}

/** @throws Failure for a selection that is too long to be stored */
function bounded(selection: EventSelection, parameter: string): EventSelection {
  const most = RECIPE_LIMITS.eventsCharacters;
  const { length } = JSON.stringify(eventsStateOf(selection));
  if (length <= most) return selection;
  throw badParameter(parameter, `a selection of events with at most ${most} characters`, length);
}

/** Values that are valid but probably not meant, as sentences. */
function remarksOn(layers: readonly Layer[], { remarks }: NotedEvents): string[] {
  const faint = layers.filter(({ opacity }) => opacity < 1);
  return [...faint.map(({ opacity }) => `The opacity ${opacity} of layers is a percentage: 100 is opaque.`), ...remarks];
}

/** The projection of a notation as a member, absent for the plane. @throws Failure with what is possible */
export function projectionMember(text: string | undefined, isMovie: boolean): Pick<Scene, 'projection'> {
  const projection = text ? parseProjection(text, isMovie) : { kind: 'plane' as const };
  return projection.kind === 'plane' ? {} : { projection };
}

/** The scene of a request, and remarks on values that are probably not meant, as sentences. @throws Failure naming the parameter at fault */
export function sceneFromParameters(parameters: SceneParameters, isMovie = false) {
  const layers = parseLayers(parameters.layers, parameters);
  const events = parseEvents(parameters);
  const named = (['event_selections', 'eventsState'] as const).find((name) => parameters[name] !== undefined);
  const selection = bounded(events.selection, named ?? 'events');
  const overlays = parseOverlays(parameters);
  const projected = projectionMember(parameters.projection, isMovie);
  const field = parseRegion(parameters, 'projection' in projected ? RECIPE_LIMITS.projectedSidePixels : undefined);
  const switchSources = parameters.switchSources ?? false;
  const scene: Scene = { layers, ...field, events: selection, overlays, switchSources, ...projected };
  return { scene, remarks: remarksOn(layers, events) };
}

/** As `sceneFromParameters` with the time of a screenshot; `adjusted` if its scale is coarser than requested, because it would be too large. */
export function recipeFromScreenshotParameters(parameters: ScreenshotParameters) {
  const { scene, remarks } = sceneFromParameters(parameters);
  const recipe: Picture = { ...scene, atMs: Math.floor(parameters.date) };
  return { recipe, adjusted: recipe.imageScaleArcsecPerPixel !== parameters.imageScale, remarks };
}

export const SCENE_MEMBERS: readonly string[] = [
  ...['layers', 'region', 'imageScale', 'events', 'switchSources'],
  ...OVERLAYS.map(({ name }) => name),
  ...LAYER_MEMBERS,
  'eventDrawing',
  'projection',
];

/** The members of a scene, printed after those for its time. */
export function sceneMembers(scene: Scene): object {
  const { region, events } = scene;
  const { watermark, scale, movieIcons, ...laterOverlays } = overlayMembers(scene.overlays);
  return {
    layers: printLayers(scene.layers),
    region: [region.left, region.top, region.right, region.bottom],
    imageScale: scene.imageScaleArcsecPerPixel,
    events: events.length ? eventsStateOf(events) : undefined,
    watermark,
    scale,
    movieIcons,
    switchSources: scene.switchSources || undefined,
    ...laterOverlays,
    ...layerMembers(scene.layers),
    eventDrawing: events.length ? EVENT_DRAWING_VERSION : undefined,
    projection: printProjection(scene.projection),
  };
}

function regionIn(members: Members): Region {
  const value = members.get('region');
  if (Array.isArray(value) && value.length === 4 && value.every(isNumber)) {
    const [left, top, right, bottom] = value as [number, number, number, number];
    if (left < right && top < bottom) return { left, top, right, bottom };
  }
  throw badMember('left, top, right and bottom as region', value);
}

/** @throws Failure when a member is missing or invalid */
export function sceneIn(members: Members): Scene {
  return {
    layers: parseLayers(
      stringIn(members, 'layers'),
      Object.fromEntries(LAYER_MEMBERS.map((name) => [name, members.has(name) ? stringIn(members, name) : undefined])),
    ),
    ...fieldOfView(regionIn(members), positiveIn(members, 'imageScale')),
    events: parseEventsState(members.get('events') ?? {}),
    overlays: overlaysIn(members),
    switchSources: flagIn(members, 'switchSources', false),
    ...(members.has('projection') ? projectionMember(stringIn(members, 'projection'), true) : {}),
  };
}

/**
 * The canonical string of a recipe; equal recipes have equal strings. Most have about 150 characters, but with thousands of
 * selected events up to a megabyte, so keys contain its hash.
 */
export function recipeString(recipe: Picture): string {
  return JSON.stringify({ at: iso(recipe.atMs), ...sceneMembers(recipe) });
}

/**
 * The recipe of a canonical string.
 * @throws Failure when the string is invalid
 */
export function parseRecipeString(text: string): Picture {
  const members = readMembers(text, ['at', ...SCENE_MEMBERS]);
  return { atMs: timeIn(members, 'at'), ...sceneIn(members) };
}

/** The parameters of requests for a scene, without those that have their default. */
export const sceneParameters = ({ layers, region, events, ...scene }: Scene) => ({
  imageScale: scene.imageScaleArcsecPerPixel,
  layers: printLayers(layers, iso),
  x1: region.left,
  y1: region.top,
  x2: region.right,
  y2: region.bottom,
  ...layerParameters(layers),
  ...overlayParameters(scene.overlays),
  switchSources: scene.switchSources || undefined,
  projection: printProjection(scene.projection),
  eventsState: events.length > 0 ? eventsStateOf(events) : undefined,
});

/** Request that gives a picture again: in takeScreenshot, or with events, which it does not take as an object, in postScreenshot. */
export const screenshotAddress = (recipe: Picture, format: object): string =>
  requestAddress(recipe.events.length > 0 ? 'postScreenshot' : 'takeScreenshot', {
    date: iso(recipe.atMs),
    ...sceneParameters(recipe),
    display: true,
    ...format,
  });
