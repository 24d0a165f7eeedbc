// What the explorer asks for as a picture or a movie, and movies that a browser encodes: their pixels, encodings, and the scale indicator.
import { boxOf, type ScaleIndicator } from '../../picture/overlays/scale.ts';
import { SAVED_MOVIE } from '../../platform/limits/movies.ts';
import type { Size } from '../../sun/image.ts';

/** A part of a view in pixels. */
type Area<Camera> = { readonly camera: Camera & { readonly scale: number }; readonly size: Size };

export function savedArea<Camera>(area: Area<Camera>): Area<Camera> {
  const longest = Math.max(area.size.width, area.size.height);
  return movieArea(area, Math.min(Math.max(longest, MOVIE_SIDES[0]), SAVED_MOVIE.sidePixels));
}

export type Encoding = ReturnType<typeof encodingsOf>[number];

const MACROBLOCK = 16;
/** Levels of H.264: macroblocks of a frame and of a second (ITU-T H.264, table A-1). */
const AVC_LEVELS = [
  { name: '1f', frame: 3_600, second: 108_000 },
  { name: '28', frame: 8_192, second: 245_760 },
  { name: '33', frame: 36_864, second: 983_040 },
] as const;
/** Profiles of H.264, the one with the smaller files first: High, and Constrained Baseline. */
const AVC_PROFILES = ['6400', '42e0'] as const;
/** Levels of VP9: pixels of a frame. */
const VP9_LEVELS = [
  { name: '40', frame: 2_228_224 },
  { name: '50', frame: 8_912_896 },
] as const;

/** Encodings of a movie, those that most programs play first. */
export function encodingsOf({ width, height }: Size, framerate: number) {
  const blocks = Math.ceil(width / MACROBLOCK) * Math.ceil(height / MACROBLOCK);
  const avc = AVC_LEVELS.find(({ frame, second }) => blocks <= frame && blocks * framerate <= second) ?? AVC_LEVELS.at(-1)!;
  const vp9 = VP9_LEVELS.find(({ frame }) => width * height <= frame) ?? VP9_LEVELS.at(-1)!;
  const names: readonly (readonly ['avc' | 'vp9' | 'vp8', string])[] = [
    ...AVC_PROFILES.map((profile) => ['avc', `avc1.${profile}${avc.name}`] as const),
    ['vp9', `vp09.00.${vp9.name}.08`],
    ['vp8', 'vp8'],
  ];
  const bitrate = Math.round(SAVED_MOVIE.bitsPerPixel * width * height * framerate);
  const common = { width, height, framerate, bitrate, bitrateMode: 'variable', latencyMode: 'quality' } as const;
  return names.map(([codec, name]) => ({
    codec,
    config: { codec: name, ...common, ...(codec === 'avc' ? { avc: { format: 'avc' as const } } : {}) },
  }));
}

/** Longest sides of a movie in pixels. Below the least one, labels of events and the watermark cover much of the picture. */
export const MOVIE_SIDES = [640, 1280, 1920, 3840] as const;
export const USUAL_SIDE = 1280;
/** Least shorter side in pixels, of which encoders make whole blocks. */
const LEAST_PIXELS = 16;

/** The area with a longest side of so many pixels. Both sides are even, because encoders require it. */
export function movieArea<Camera>({ camera, size: { width, height } }: Area<Camera>, longest: number): Area<Camera> {
  const enlargement = longest / Math.max(width, height);
  const even = (side: number) => Math.max(2 * Math.round((side * enlargement) / 2), LEAST_PIXELS);
  return {
    camera: { ...camera, scale: camera.scale / enlargement },
    size: { width: even(width), height: even(height) },
  };
}

const KINDS = ['earth', 'scalebar'] as const satisfies readonly ScaleIndicator['type'][];

/**
 * The indicator that covers at most a quarter of a picture: the Earth, the bar where the box of the Earth would be wider or higher
 * than half of it, or none where that of the bar is.
 */
export function indicatorFor({ camera: { scale }, size: { width, height } }: Area<unknown>): ScaleIndicator['type'] | 'disabled' {
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
