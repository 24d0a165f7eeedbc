// A movie as data, and its canonical string. The same recipe and the same images give the same frames.
import { badParameter } from '../errors.ts';
import type { Scene } from '../recipe/recipe.ts';
import { flagIn, type Members, positiveIn, readMembers, sceneIn, sceneMembers, timeIn } from '../recipe/recipe-string.ts';

/** Value of the size parameter: 0 the requested field of view, 1 720p, 2 1080p, 3 1440p, 4 2160p. */
export type SizePreset = 0 | 1 | 2 | 3 | 4;

export interface MovieRecipe {
  /** At the scale at which frames are drawn; width and height are even. */
  readonly scene: Scene;
  /** Range of the frame times in milliseconds since 1970, both ends included. */
  readonly startMs: number;
  readonly endMs: number;
  /** Whether the field of view rotates with the Sun. */
  readonly followViewport: boolean;
  /** Time at which the rotating field of view is the requested one; null: that of the first frame. Null unless `followViewport`. */
  readonly viewedAtMs: number | null;
  readonly size: SizePreset;
  /** Frames per second. */
  readonly frameRate: number;
}

/** A frame before it is drawn. */
export interface PlannedFrame {
  /** Time of the image of the reference layer. */
  readonly atMs: number;
  /** From the bottom to the top: the id of the image and, in a difference, of the reference image. */
  readonly images: readonly (readonly [imageId: number] | readonly [imageId: number, referenceId: number])[];
}

const MEMBERS = ['start', 'end', 'followViewport', 'viewedAt', 'size', 'frameRate'];
const SIZES: readonly SizePreset[] = [0, 1, 2, 3, 4];

const iso = (ms: number): string => new Date(ms).toISOString();

/**
 * Canonical string: JSON with its members in a fixed order, without those that have their default. Equal recipes give equal
 * strings. Thousands of selected events make it up to a megabyte long, so keys use its hash.
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
 * @throws Failure for any other text
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
