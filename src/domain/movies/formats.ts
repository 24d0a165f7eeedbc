// Names and media types of the files of a movie.

/** Formats of a request; flv has the video stream of mp4. */
export const MOVIE_FORMATS = ['mp4', 'webm', 'flv'] as const;
export type MovieFormat = (typeof MOVIE_FORMATS)[number];

/** Pixels of the previews that are letterboxed in black; the preview `full` is the frame itself. */
export const PREVIEW_SIZES = {
  icon: { width: 64, height: 64 },
  small: { width: 240, height: 180 },
  medium: { width: 320, height: 240 },
  large: { width: 640, height: 480 },
} as const;
export const PREVIEWS = ['icon', 'small', 'medium', 'large', 'full'] as const;
export type Preview = (typeof PREVIEWS)[number];

/** Media types by file name for a finished build, in upload order: the previews first, because clients show them first. */
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
