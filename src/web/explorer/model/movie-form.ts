// What the explorer asks for as a picture or a movie: pixels of a movie in the shape of its area, and a scale indicator that leaves room.
import { boxOf, type ScaleIndicator } from '../../../domain/overlays/scale.ts';

export interface PixelArea {
  readonly width: number;
  readonly height: number;
  /** Arcseconds per pixel. */
  readonly scale: number;
}

/** Longest sides of a movie in pixels. Below the least one, labels of events and the watermark cover much of the picture. */
export const MOVIE_SIDES = [640, 1280, 1920, 3840] as const;
export const USUAL_SIDE = 1280;
/** Least shorter side in pixels, of which encoders make whole blocks. */
const LEAST_PIXELS = 16;

/** The area with a longest side of so many pixels. Both sides are even, because encoders require it. */
export function movieArea({ width, height, scale }: PixelArea, longest: number): PixelArea {
  const enlargement = longest / Math.max(width, height);
  const even = (side: number) => Math.max(2 * Math.round((side * enlargement) / 2), LEAST_PIXELS);
  return { width: even(width), height: even(height), scale: scale / enlargement };
}

const KINDS = ['earth', 'scalebar'] as const satisfies readonly ScaleIndicator['type'][];

/**
 * The indicator that covers at most a quarter of a picture: the Earth, the bar where the box of the Earth would be wider or higher
 * than half of it, or none where that of the bar is.
 */
export function indicatorFor({ width, height, scale }: PixelArea): ScaleIndicator['type'] | 'disabled' {
  const fits = (type: ScaleIndicator['type']) => {
    const box = boxOf(type, scale);
    return 2 * box.width <= width && 2 * box.height <= height;
  };
  return KINDS.find(fits) ?? 'disabled';
}

/** Speeds and lengths of a movie, of which one is chosen. `movieLength`: seconds. */
export const PLAYBACKS: readonly ({ readonly frameRate: number } | { readonly movieLength: number })[] = [
  ...[8, 15, 24, 30].map((frameRate) => ({ frameRate })),
  ...[5, 10, 20, 30, 60].map((movieLength) => ({ movieLength })),
];
export const USUAL_PLAYBACK = 1;
