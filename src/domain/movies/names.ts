// File names, title and embedded metadata of a movie.
import { layersFileName, layersTitle } from '../recipe/layer-names.ts';
import type { Layer } from '../recipe/layers.ts';
import { formatDateTime } from '../time.ts';
import type { MovieFileName, MovieFormat } from './formats.ts';
import type { MovieJob } from './job.ts';

/** The parts of a movie that its names contain. Times are in milliseconds since 1970. */
export interface NamedMovie {
  readonly firstFrameMs: number;
  readonly lastFrameMs: number;
  readonly layers: readonly Pick<Layer, 'sourceId'>[];
}

const stamp = (ms: number): string => formatDateTime(ms).replace(/[-: ]/g, '_');

/** File name without suffix and extension: `2012_01_01_00_00_00_2012_01_02_12_30_06_AIA_171__LASCO_C2`. */
export function movieBaseName({ firstFrameMs, lastFrameMs, layers }: NamedMovie): string {
  return `${stamp(firstFrameMs)}_${stamp(lastFrameMs)}_${layersFileName(layers)}`;
}

/** Object name of a format; only mp4 has a version of higher quality. */
export function storedFileName(format: MovieFormat, isHighQuality: boolean): MovieFileName {
  return format === 'mp4' && isHighQuality ? 'movie-hq.mp4' : `movie.${format}`;
}

/** Public name of a file: `movie-hq.mp4` becomes `<base name>-hq.mp4`; previews keep their names. */
export function publicFileName(movie: NamedMovie, file: MovieFileName): string {
  return file.replace(/^movie/, () => movieBaseName(movie));
}

/** `SDO AIA 171 (2012-01-01 00:00:00 - 23:50:00 UTC)`; the second date is omitted where it equals the first. */
export function movieTitle({ firstFrameMs, lastFrameMs, layers }: NamedMovie): string {
  const [first, last] = [formatDateTime(firstFrameMs), formatDateTime(lastFrameMs)];
  const isOneDay = first.slice(0, 10) === last.slice(0, 10);
  return `${layersTitle(layers)} (${first} - ${isOneDay ? last.slice(11) : last} UTC)`;
}

/**
 * Metadata that is embedded in the files of a movie.
 * @param movieId public id, with which the comment links to the movie; null: no links
 * @param origin of the service, such as `https://helioedge.example`; where it is empty, links are paths
 */
export function movieMetadata(
  movie: NamedMovie,
  movieId: string | null,
  origin: string,
): Omit<MovieJob['metadata'], 'createdAtMs'> {
  const { layers, firstFrameMs, lastFrameMs } = movie;
  const span = `from ${formatDateTime(firstFrameMs)} to ${formatDateTime(lastFrameMs)} UTC`;
  const query = movieId === null ? '' : new URLSearchParams({ id: movieId, format: 'mp4', hq: 'true' });
  return {
    title: movieTitle(movie),
    description: `The Sun as seen by ${layersTitle(layers)} ${span}.`,
    comment: query ? `Play: ${origin}/v2/playMovie/?${query} Download: ${origin}/v2/downloadMovie/?${query}` : '',
  };
}
