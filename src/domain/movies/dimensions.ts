// Pixel dimensions of the frames and of the video, in which frames are centred.
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

/** Tolerance in pixels of a side, for rounding errors. */
const ROUNDING_PIXELS = 1e-6;

/** Extends a side at its end to an even number of whole pixels. */
function evenSide(from: number, to: number, scale: number): { to: number; pixels: number } {
  const requested = (to - from) / scale;
  const rounded = Math.max(1, Math.round(requested));
  const pixels = rounded + (rounded % 2);
  return { pixels, to: Math.abs(requested - pixels) < ROUNDING_PIXELS ? to : from + pixels * scale };
}

/** Field of view with even width and height, which encoders require: odd sides get one more pixel at the right or bottom. */
export function evenField({ left, top, right, bottom }: Region, imageScaleArcsecPerPixel: number): FieldOfView {
  const across = evenSide(left, right, imageScaleArcsecPerPixel);
  const down = evenSide(top, bottom, imageScaleArcsecPerPixel);
  const region = { left, top, right: across.to, bottom: down.to };
  return { region, imageScaleArcsecPerPixel, width: across.pixels, height: down.pixels };
}

/**
 * Frame and video dimensions for a size parameter. A preset gives the video its pixels and the frames the scale at which the
 * region just fits, which may be coarser or finer than the requested one.
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
