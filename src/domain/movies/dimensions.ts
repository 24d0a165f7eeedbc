// The pixels of a movie: of its frames, and of the video in the middle of which they stand.
import type { FieldOfView, Region } from '../recipe/region.ts';
import type { SizePreset } from './movie-recipe.ts';

export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

const PRESETS: Readonly<Record<Exclude<SizePreset, 0>, Dimensions>> = {
  1: { width: 1280, height: 720 },
  2: { width: 1920, height: 1080 },
  3: { width: 2560, height: 1440 },
  4: { width: 3840, height: 2160 },
};

/** Part of a pixel by which a side may be off from rounding alone. */
const EXACT = 1e-6;

/** Where a side ends that begins at `from`: it has an even number of whole pixels, one more at its end than asked for if need be. */
function evenSide(from: number, to: number, scale: number): { to: number; pixels: number } {
  const asked = (to - from) / scale;
  const rounded = Math.max(1, Math.round(asked));
  const pixels = rounded + (rounded % 2);
  return { pixels, to: Math.abs(asked - pixels) < EXACT ? to : from + pixels * scale };
}

/** A field of view with sides of even numbers of pixels, which encoders need: one pixel wider to the right and below where odd. */
export function evenField({ left, top, right, bottom }: Region, imageScaleArcsecPerPixel: number): FieldOfView {
  const across = evenSide(left, right, imageScaleArcsecPerPixel);
  const down = evenSide(top, bottom, imageScaleArcsecPerPixel);
  const region = { left, top, right: across.to, bottom: down.to };
  return { region, imageScaleArcsecPerPixel, width: across.pixels, height: down.pixels };
}

/**
 * What the size parameter makes of a field of view. With a preset the frames are drawn at the scale at which the region just
 * fits it, coarser or finer than the one asked for, and the video has the preset's pixels.
 */
export function movieDimensions(field: FieldOfView, size: SizePreset): { frame: FieldOfView; output: Dimensions } {
  const { region } = field;
  if (size === 0) {
    const frame = evenField(region, field.imageScaleArcsecPerPixel);
    return { frame, output: { width: frame.width, height: frame.height } };
  }
  const output = PRESETS[size];
  const scale = Math.max((region.right - region.left) / output.width, (region.bottom - region.top) / output.height);
  return { frame: evenField(region, scale), output };
}
