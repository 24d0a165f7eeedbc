// The canonical string of a recipe: JSON with its members in one order, without those that have their default.
import type { Recipe } from './recipe.ts';
import { readMembers, sceneIn, sceneMembers, timeIn } from './scene-members.ts';

/**
 * A recipe as text: equal recipes have equal texts. Most have some 150 characters, but with thousands of chosen events it
 * is up to a megabyte, so keys are made of its hash.
 */
export function recipeString(recipe: Recipe): string {
  return JSON.stringify({ at: new Date(recipe.atMs).toISOString(), ...sceneMembers(recipe) });
}

/**
 * The recipe of a canonical string.
 * @throws Failure when it is no such string
 */
export function parseRecipeString(text: string): Recipe {
  const members = readMembers(text, ['at']);
  return { atMs: timeIn(members, 'at'), ...sceneIn(members) };
}
