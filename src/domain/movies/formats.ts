// The files of a movie.

/** What a request may ask for; flv holds the same pictures as mp4. */
export const MOVIE_FORMATS = ['mp4', 'webm', 'flv'] as const;
export type MovieFormat = (typeof MOVIE_FORMATS)[number];

/** Widths and heights in pixels of the previews with black borders; `full` is the frame as it is. */
export const PREVIEW_SIZES = {
  icon: { width: 64, height: 64 },
  small: { width: 240, height: 180 },
  medium: { width: 320, height: 240 },
  large: { width: 640, height: 480 },
} as const;
export const PREVIEWS = ['icon', 'small', 'medium', 'large', 'full'] as const;
export type Preview = (typeof PREVIEWS)[number];

/** Name and media type of every file of a finished build, in the order in which they are uploaded: what is shown first, first. */
export const MOVIE_FILES = {
  'preview-icon.png': 'image/png',
  'preview-small.png': 'image/png',
  'preview-medium.png': 'image/png',
  'preview-large.png': 'image/png',
  'preview-full.png': 'image/png',
  'movie.mp4': 'video/mp4',
  'movie-hq.mp4': 'video/mp4',
  'movie.webm': 'video/webm',
  'movie.flv': 'video/x-flv',
} as const;
export type MovieFileName = keyof typeof MOVIE_FILES;

/**
 * Object name of an encoded segment: planned frames from..to-1 in one encoding, stored so that the next attempt can resume there.
 * The optional note before the extension belongs to the worker: its encoder and the number of skipped frames.
 */
export const SEGMENT_NAME = /^part-(\d{4})-(\d{4})\.(mp4|hq|webm)(?:\.([0-9a-z-]{1,24}))?\.(?:mp4|webm)$/;

/** Media type of a segment, by its file extension. */
export const segmentMediaType = (name: string) => (name.endsWith('.webm') ? 'video/webm' : 'video/mp4');
