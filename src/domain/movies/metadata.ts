// What the files of a movie say about themselves.
import { layersTitle } from '../recipe/layer-names.ts';
import { formatDateTime } from '../time.ts';
import type { MovieJob } from './job.ts';
import { movieTitle, type NamedMovie } from './names.ts';

/**
 * `movieId`: public id of the movie, by which the comment says where it is; null where it has none. `origin`: of the service,
 * such as `https://helioedge.example`; where it is empty, addresses are paths.
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
