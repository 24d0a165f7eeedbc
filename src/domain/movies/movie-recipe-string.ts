// The canonical string of a movie: JSON with its members in one order, without those that have their default.
import { badParameter } from '../errors.ts';
import { flagIn, type Members, positiveIn, readMembers, sceneIn, sceneMembers, timeIn } from '../recipe/recipe-string.ts';
import type { MovieRecipe, SizePreset } from './movie-recipe.ts';

const MEMBERS = ['start', 'end', 'followViewport', 'viewedAt', 'size', 'frameRate'];
const SIZES: readonly SizePreset[] = [0, 1, 2, 3, 4];

const iso = (ms: number): string => new Date(ms).toISOString();

/**
 * A movie as text: equal recipes have equal texts. With thousands of chosen events it has up to a megabyte, so keys are
 * made of its hash.
 */
export function movieRecipeString({ scene, startMs, endMs, followViewport, viewedAtMs, size, frameRate }: MovieRecipe): string {
  return JSON.stringify({
    start: iso(startMs),
    end: iso(endMs),
    followViewport: followViewport || undefined,
    viewedAt: viewedAtMs === null ? undefined : iso(viewedAtMs),
    size: size || undefined,
    frameRate,
    ...sceneMembers(scene),
  });
}

function sizeIn(members: Members): SizePreset {
  const value = members.get('size') ?? 0;
  const size = SIZES.find((known) => known === value);
  if (size === undefined) throw badParameter('recipe', 'a whole number from 0 to 4 as size', value);
  return size;
}

/**
 * The movie of a canonical string.
 * @throws Failure when it is no such string
 */
export function parseMovieRecipeString(text: string): MovieRecipe {
  const members = readMembers(text, MEMBERS);
  return {
    scene: sceneIn(members),
    startMs: timeIn(members, 'start'),
    endMs: timeIn(members, 'end'),
    followViewport: flagIn(members, 'followViewport', false),
    viewedAtMs: members.has('viewedAt') ? timeIn(members, 'viewedAt') : null,
    size: sizeIn(members),
    frameRate: positiveIn(members, 'frameRate'),
  };
}
