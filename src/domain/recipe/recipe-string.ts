// Canonical strings of recipes: JSON with its members in a fixed order, without those that have their default value. A member
// added later must have a default, so that older strings stay canonical. Movies use the same members for their scenes.
import { badParameter, type Failure } from '../errors.ts';
import { parseRequestDate } from '../request-date.ts';
import { eventsStateOf, parseEventsState } from './events/events-state.ts';
import { parseLayers, printLayers } from './layers.ts';
import { type Overlays, parseOverlays, type ScaleIndicator } from './overlays.ts';
import type { Recipe, Scene } from './recipe.ts';
import { fieldOfView, type Region } from './region.ts';

const SCENE_MEMBERS = [
  'layers',
  'region',
  'imageScale',
  'events',
  'watermark',
  'scale',
  'movieIcons',
  'grayscale',
  'switchSources',
  'grid',
] as const;

export type Members = ReadonlyMap<string, unknown>;

const bad = (what: string, value: unknown): Failure => badParameter('recipe', what, value ?? 'nothing');

function printScale({ type, position }: ScaleIndicator): unknown[] {
  return position ? [type, position.x, position.y] : [type];
}

/** The members of a scene, printed after those for its time. */
export function sceneMembers(scene: Scene): object {
  const { region, overlays, events } = scene;
  return {
    layers: printLayers(scene.layers),
    region: [region.left, region.top, region.right, region.bottom],
    imageScale: scene.imageScaleArcsecPerPixel,
    events: events.length ? eventsStateOf(events) : undefined,
    watermark: overlays.watermark ? undefined : false,
    scale: overlays.scale ? printScale(overlays.scale) : undefined,
    movieIcons: overlays.movieIcons || undefined,
    grayscale: scene.grayscale || undefined,
    switchSources: scene.switchSources || undefined,
    grid: overlays.grid || undefined,
  };
}

/**
 * The members of a canonical string.
 * @param others Members allowed besides those of a scene
 * @throws Failure when the text is not a JSON object or has unknown members
 */
export function readMembers(text: string, others: readonly string[]): Members {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw bad('JSON', text);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bad('a JSON object', value);
  const known: readonly string[] = [...others, ...SCENE_MEMBERS];
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw bad('known members', unknown);
  return new Map(Object.entries(value));
}

function stringIn(members: Members, name: string): string {
  const value = members.get(name);
  if (typeof value !== 'string') throw bad(`a text as ${name}`, value);
  return value;
}

export function flagIn(members: Members, name: string, otherwise: boolean): boolean {
  const value = members.get(name) ?? otherwise;
  if (typeof value !== 'boolean') throw bad(`true or false as ${name}`, value);
  return value;
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

export function positiveIn(members: Members, name: string): number {
  const value = members.get(name);
  if (!isNumber(value) || value <= 0) throw bad(`a number above 0 as ${name}`, value);
  return value;
}

/** Whole milliseconds since 1970. */
export function timeIn(members: Members, name: string): number {
  const atMs = parseRequestDate(stringIn(members, name));
  if (atMs === null) throw bad(`a UTC date as ${name}`, members.get(name));
  return Math.floor(atMs);
}

function regionIn(members: Members): Region {
  const value = members.get('region');
  if (Array.isArray(value) && value.length === 4 && value.every(isNumber)) {
    const [left, top, right, bottom] = value as [number, number, number, number];
    if (left < right && top < bottom) return { left, top, right, bottom };
  }
  throw bad('left, top, right and bottom as region', value);
}

function overlaysIn(members: Members): Overlays {
  const value = members.get('scale') ?? ['disabled'];
  if (!Array.isArray(value) || (value.length !== 1 && value.length !== 3))
    throw bad('a type with or without place as scale', value);
  const [scaleType, scaleX = 0, scaleY = 0] = value;
  if (typeof scaleType !== 'string' || !isNumber(scaleX) || !isNumber(scaleY))
    throw bad('a type and two numbers as scale', value);
  const watermark = flagIn(members, 'watermark', true);
  const movieIcons = flagIn(members, 'movieIcons', false);
  const grid = flagIn(members, 'grid', false);
  return parseOverlays({ watermark, scale: true, scaleType, scaleX, scaleY, movieIcons, grid });
}

/** @throws Failure when a member is missing or invalid */
export function sceneIn(members: Members): Scene {
  return {
    layers: parseLayers(stringIn(members, 'layers')),
    ...fieldOfView(regionIn(members), positiveIn(members, 'imageScale')),
    events: parseEventsState(members.get('events') ?? {}),
    overlays: overlaysIn(members),
    grayscale: flagIn(members, 'grayscale', false),
    switchSources: flagIn(members, 'switchSources', false),
  };
}

/**
 * The canonical string of a recipe; equal recipes have equal strings. Most have about 150 characters, but with thousands of
 * selected events up to a megabyte, so keys contain its hash.
 */
export function recipeString(recipe: Recipe): string {
  return JSON.stringify({ at: new Date(recipe.atMs).toISOString(), ...sceneMembers(recipe) });
}

/**
 * The recipe of a canonical string.
 * @throws Failure when the string is invalid
 */
export function parseRecipeString(text: string): Recipe {
  const members = readMembers(text, ['at']);
  return { atMs: timeIn(members, 'at'), ...sceneIn(members) };
}
