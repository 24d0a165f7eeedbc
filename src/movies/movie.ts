// A movie answers one request, with a public id and files. A build is the work of making it, shared by equal recipes and frames.
import { type Layer, layersFileName, layersTitle } from '../picture/layers.ts';
import { MEDIA_TYPES } from '../platform/http/response.ts';
import { formatDateTime } from '../sun/time.ts';

/**
 * States of a build and of each of its formats. A claim makes a queued build a processing one, which is queued again when its worker hands it
 * back, fails or falls silent, while attempts remain, and ends as finished or as invalid. A further request queues either again.
 */
export const MOVIE_STATUS = { queued: 0, processing: 1, finished: 2, invalid: 3 } as const;
export type MovieStatus = (typeof MOVIE_STATUS)[keyof typeof MOVIE_STATUS];

export type StoredMovieFile = { readonly name: MovieFileName; readonly size: number; readonly etag: string };

/** The 52 letters and digits of the original service's ids. */
const ALPHABET = '0123456789BCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz';
const LENGTH = 8;
const MOVIE_ID = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

/** Bytes from this value on are rejected, because their remainder modulo 52 would favour the first characters. */
const UNBIASED_BYTES = 256 - (256 % ALPHABET.length);

/** A random id of 52^8 = 5e13. */
export function newMovieId(): string {
  let id = '';
  while (id.length < LENGTH) {
    const unbiased = crypto.getRandomValues(new Uint8Array(LENGTH)).filter((byte) => byte < UNBIASED_BYTES);
    id += Array.from(unbiased, (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  }
  return id.slice(0, LENGTH);
}

export const isMovieId = (text: string): boolean => MOVIE_ID.test(text);

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
  'preview-icon.png': MEDIA_TYPES.png,
  'preview-small.png': MEDIA_TYPES.png,
  'preview-medium.png': MEDIA_TYPES.png,
  'preview-large.png': MEDIA_TYPES.png,
  'preview-full.png': MEDIA_TYPES.png,
  'movie.mp4': MEDIA_TYPES.mp4,
  'movie-hq.mp4': MEDIA_TYPES.mp4,
  'movie.webm': MEDIA_TYPES.webm,
  'movie.flv': MEDIA_TYPES.flv,
} as const;
export type MovieFileName = keyof typeof MOVIE_FILES;
export const MOVIE_FILE_NAMES = Object.keys(MOVIE_FILES) as [MovieFileName, ...MovieFileName[]];

export const previewFile = (preview: Preview) => `preview-${preview}.png` as const;
export const PREVIEW_FILES = PREVIEWS.map(previewFile);

/** Object name of a segment: frames from..to-1 in one encoding. The optional note is the worker's: its encoder and the skipped frames. */
export const SEGMENT_NAME = /^part-(\d{4})-(\d{4})\.(mp4|hq|webm)(?:\.([0-9a-z-]{1,24}))?\.(?:mp4|webm)$/;

export const segmentMediaType = (name: string) => (name.endsWith('.webm') ? MEDIA_TYPES.webm : MEDIA_TYPES.mp4);

/** The parts of a movie that its names contain. Times are in milliseconds since 1970. */
export interface NamedMovie {
  readonly firstFrameMs: number;
  readonly lastFrameMs: number;
  readonly layers: readonly Pick<Layer, 'sourceId'>[];
}

const stamp = (ms: number): string => formatDateTime(ms).replace(/[-: ]/g, '_');

/** File name without suffix and extension: `2012_01_01_00_00_00_2012_01_02_12_30_06_AIA_171__LASCO_C2`. */
export const movieBaseName = ({ firstFrameMs, lastFrameMs, layers }: NamedMovie): string =>
  `${stamp(firstFrameMs)}_${stamp(lastFrameMs)}_${layersFileName(layers)}`;

/** Object name of a format; only mp4 has a version of higher quality. */
export const storedFileName = (format: MovieFormat, isHighQuality: boolean): MovieFileName =>
  format === 'mp4' && isHighQuality ? 'movie-hq.mp4' : `movie.${format}`;

/** Public name of a file: `movie-hq.mp4` becomes `<base name>-hq.mp4`; previews keep their names. */
export const publicFileName = (movie: NamedMovie, file: MovieFileName): string =>
  file.replace(/^movie/, () => movieBaseName(movie));

/** `SDO AIA 171 (2012-01-01 00:00:00 - 23:50:00 UTC)`; the second date is omitted where it equals the first. */
export function movieTitle({ firstFrameMs, lastFrameMs, layers }: NamedMovie): string {
  const [first, last] = [formatDateTime(firstFrameMs), formatDateTime(lastFrameMs)];
  const isOneDay = first.slice(0, 10) === last.slice(0, 10);
  return `${layersTitle(layers)} (${first} - ${isOneDay ? last.slice(11) : last} UTC)`;
}

export interface MovieMetadata {
  readonly title: string;
  readonly description: string;
  readonly comment: string;
  readonly createdAtMs: number;
}

/**
 * @param movieId public id, with which the comment links to the movie; null: no links
 * @param origin of the service, such as `https://helioedge.example`; where it is empty, links are paths
 */
export function movieMetadata(movie: NamedMovie, movieId: string | null, origin: string): Omit<MovieMetadata, 'createdAtMs'> {
  const { layers, firstFrameMs, lastFrameMs } = movie;
  const span = `from ${formatDateTime(firstFrameMs)} to ${formatDateTime(lastFrameMs)} UTC`;
  const query = movieId === null ? '' : new URLSearchParams({ id: movieId, format: 'mp4', hq: 'true' });
  return {
    title: movieTitle(movie),
    description: `The Sun as seen by ${layersTitle(layers)} ${span}.`,
    comment: query ? `Play: ${origin}/v2/playMovie/?${query} Download: ${origin}/v2/downloadMovie/?${query}` : '',
  };
}
