// The parts of images whose frames a view needs.
import { MOVING_FRAME } from '../../../config/limits/rendering.ts';
import type { Tiles } from '../../../picture/moving-frame.ts';
import type { ImageRecord } from '../api/image-record.ts';
import { type Camera, levelFor, levelScale, type Size, seenBox, tileRect } from '../picture/geometry.ts';
import { fits, sidesOf, wholeFrom } from './frame-sides.ts';

/** Levels by which the frame of a whole image that comes first is coarser. */
const COARSER = 2;
/** Half of the longest side of a frame: a coarse one is no larger. */
const COARSE_SIDE = MOVING_FRAME.sidePixels / 4;

/** All of an image, coarsely. */
export function coarsePlace(image: ImageRecord, camera: Camera): Tiles {
  return wholeFrom(image, levelFor(image, camera.scale) + COARSER, COARSE_SIDE);
}

/** All of an image, as fine as the screen or as a frame can be: for projections, which turn to every part of it. */
export const fineWhole = (image: ImageRecord, camera: Camera): Tiles =>
  wholeFrom(image, levelFor(image, camera.scale), MOVING_FRAME.sidePixels);

/** The part of an image in a view, as fine as the screen or as a frame can be; null where the view has nothing of it. */
export function finePlace(image: ImageRecord, camera: Camera, size: Size): Tiles | null {
  for (let level = levelFor(image, camera.scale); ; level += 1) {
    const tiles = tileRect(image, seenBox(camera, size), camera.scale, level);
    if (!tiles) return null;
    const whole = { imageScale: levelScale(level) };
    const part = { ...whole, ...tiles };
    const sides = sidesOf(image, part);
    if (!fits(sides, MOVING_FRAME.sidePixels)) continue;
    const all = sidesOf(image, whole);
    return sides.width === all.width && sides.height === all.height ? whole : part;
  }
}
