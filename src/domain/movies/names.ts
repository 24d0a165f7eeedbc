// What a movie is called: its file, its title.
import { layersFileName, layersTitle } from '../recipe/layer-names.ts';
import type { Layer } from '../recipe/layers.ts';
import { formatDateTime } from '../time.ts';
import type { MovieFileName, MovieFormat } from './formats.ts';

/** What of a movie its names are made of. Times of the first and the last frame: milliseconds since 1970. */
export interface NamedMovie {
  readonly firstFrameMs: number;
  readonly lastFrameMs: number;
  readonly layers: readonly Pick<Layer, 'sourceId'>[];
}

const stamp = (ms: number): string => formatDateTime(ms).replace(/[-: ]/g, '_');

/** `2012_01_01_00_00_00_2012_01_02_12_30_06_AIA_171__LASCO_C2`, without what stands behind it */
export function movieBaseName({ firstFrameMs, lastFrameMs, layers }: NamedMovie): string {
  return `${stamp(firstFrameMs)}_${stamp(lastFrameMs)}_${layersFileName(layers)}`;
}

/** Only mp4 has a version of higher quality. */
export function storedFileName(format: MovieFormat, isHighQuality: boolean): MovieFileName {
  return format === 'mp4' && isHighQuality ? 'movie-hq.mp4' : `movie.${format}`;
}

/** The name under which people get a file of a movie: `movie-hq.mp4` becomes `<base name>-hq.mp4`; previews keep theirs. */
export function publicFileName(movie: NamedMovie, file: MovieFileName): string {
  return file.replace(/^movie/, () => movieBaseName(movie));
}

/** `SDO AIA 171 (2012-01-01 00:00:00 - 23:50:00 UTC)`: the second date is left out where it is the first one. */
export function movieTitle({ firstFrameMs, lastFrameMs, layers }: NamedMovie): string {
  const [first, last] = [formatDateTime(firstFrameMs), formatDateTime(lastFrameMs)];
  const isOneDay = first.slice(0, 10) === last.slice(0, 10);
  return `${layersTitle(layers)} (${first} - ${isOneDay ? last.slice(11) : last} UTC)`;
}
