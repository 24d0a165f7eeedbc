// The canonical string of a recipe: JSON with its members in one order, without those that have their default. A member
// that is added later leaves the strings of older recipes as they are.
import { badParameter, type Failure } from '../errors.ts';
import { parseRequestDate } from '../time.ts';
import { eventsStateOf, parseEventsState } from './events/events-state.ts';
import { parseLayers, printLayers } from './layers.ts';
import { type Overlays, parseOverlays, type ScaleIndicator } from './overlays.ts';
import type { Recipe } from './recipe.ts';
import { fieldOfView, type Region } from './region.ts';

const MEMBERS = [
  'at',
  'layers',
  'region',
  'imageScale',
  'events',
  'watermark',
  'scale',
  'movieIcons',
  'grayscale',
  'switchSources',
] as const;

type Members = ReadonlyMap<string, unknown>;

const bad = (what: string, value: unknown): Failure => badParameter('recipe', what, value ?? 'nothing');

function printScale({ type, position }: ScaleIndicator): unknown[] {
  return position ? [type, position.x, position.y] : [type];
}

/**
 * A recipe as text: equal recipes have equal texts. Most have some 150 characters, but with thousands of chosen events it
 * is up to a megabyte, so keys are made of its hash.
 */
export function recipeString(recipe: Recipe): string {
  const { region, overlays, events } = recipe;
  return JSON.stringify({
    at: new Date(recipe.atMs).toISOString(),
    layers: printLayers(recipe.layers),
    region: [region.left, region.top, region.right, region.bottom],
    imageScale: recipe.imageScaleArcsecPerPixel,
    events: events.length ? eventsStateOf(events) : undefined,
    watermark: overlays.watermark ? undefined : false,
    scale: overlays.scale ? printScale(overlays.scale) : undefined,
    movieIcons: overlays.movieIcons || undefined,
    grayscale: recipe.grayscale || undefined,
    switchSources: recipe.switchSources || undefined,
  });
}

function membersOf(text: string): Members {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw bad('JSON', text);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bad('a JSON object', value);
  const unknown = Object.keys(value).find((name) => !MEMBERS.some((member) => member === name));
  if (unknown !== undefined) throw bad('known members', unknown);
  return new Map(Object.entries(value));
}

function textIn(members: Members, name: string): string {
  const value = members.get(name);
  if (typeof value !== 'string') throw bad(`a text as ${name}`, value);
  return value;
}

function flagIn(members: Members, name: string, otherwise: boolean): boolean {
  const value = members.get(name) ?? otherwise;
  if (typeof value !== 'boolean') throw bad(`true or false as ${name}`, value);
  return value;
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function timeIn(members: Members): number {
  const atMs = parseRequestDate(textIn(members, 'at'));
  if (atMs === null) throw bad('a UTC date as at', members.get('at'));
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

function scaleIn(members: Members): number {
  const value = members.get('imageScale');
  if (!isNumber(value) || value <= 0) throw bad('a number above 0 as imageScale', value);
  return value;
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
  return parseOverlays({ watermark, scale: true, scaleType, scaleX, scaleY, movieIcons });
}

/**
 * The recipe of a canonical string.
 * @throws Failure when it is no such string
 */
export function parseRecipeString(text: string): Recipe {
  const members = membersOf(text);
  return {
    atMs: timeIn(members),
    layers: parseLayers(textIn(members, 'layers')),
    ...fieldOfView(regionIn(members), scaleIn(members)),
    events: parseEventsState(members.get('events') ?? {}),
    overlays: overlaysIn(members),
    grayscale: flagIn(members, 'grayscale', false),
    switchSources: flagIn(members, 'switchSources', false),
  };
}
