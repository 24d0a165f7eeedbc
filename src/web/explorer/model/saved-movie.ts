// Movies that a browser encodes from what it plays: their pixels, and the encodings to try.
import { SAVED_MOVIE } from '../../../config/limits/movies.ts';
import { MOVIE_SIDES, movieArea, type PixelArea } from './movie-form.ts';

export function savedArea(area: PixelArea): PixelArea {
  const longest = Math.max(area.width, area.height);
  return movieArea(area, Math.min(Math.max(longest, MOVIE_SIDES[0]), SAVED_MOVIE.sidePixels));
}

type VideoCodec = 'avc' | 'vp9' | 'vp8';

export interface Encoding {
  readonly codec: VideoCodec;
  /** As codecs are named in the registry of WebCodecs. */
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly framerate: number;
  /** Bits per second. */
  readonly bitrate: number;
}

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
export function encodingsOf({ width, height }: Pick<PixelArea, 'width' | 'height'>, framerate: number): Encoding[] {
  const blocks = Math.ceil(width / MACROBLOCK) * Math.ceil(height / MACROBLOCK);
  const avc = AVC_LEVELS.find(({ frame, second }) => blocks <= frame && blocks * framerate <= second) ?? AVC_LEVELS.at(-1)!;
  const vp9 = VP9_LEVELS.find(({ frame }) => width * height <= frame) ?? VP9_LEVELS.at(-1)!;
  const names: readonly (readonly [VideoCodec, string])[] = [
    ...AVC_PROFILES.map((profile) => ['avc', `avc1.${profile}${avc.name}`] as const),
    ['vp9', `vp09.00.${vp9.name}.08`],
    ['vp8', 'vp8'],
  ];
  const bitrate = Math.round(SAVED_MOVIE.bitsPerPixel * width * height * framerate);
  return names.map(([codec, name]) => ({ codec, name, width, height, framerate, bitrate }));
}
