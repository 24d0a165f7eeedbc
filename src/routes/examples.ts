// Values of the examples in the documentation: what the sample archive of `npm start` has.
import type { Preview } from '../domain/movies/movie.ts';

/** Date of most sample images. */
export const EXAMPLE_DATE = '2024-05-10T12:00:00Z';

/** A day of the sample archive, and six hours in it. */
export const EXAMPLE_DAY = { startTime: '2024-05-10T00:00:00Z', endTime: '2024-05-11T00:00:00Z' } as const;

/** AIA 171. */
export const EXAMPLE_SOURCE = 10;

/** The first image of AIA 171 in a new archive: sequence 1 in shard 10. */
export const EXAMPLE_IMAGE = 26;

/** Ids that the service draws at random. A reader replaces them by those of an earlier response. */
export const EXAMPLE_MOVIE = 'qFpcNxXJ';
export const EXAMPLE_TOKEN = 'b75412e2219894d6aa9704b20f05e07b';
export const EXAMPLE_SCREENSHOT = 1;

/** Address of the folder with the files of the movie. */
export const EXAMPLE_MOVIE_FOLDER = `https://helioedge.test/cache/movies/2024/05/11/${EXAMPLE_MOVIE}`;

const previewUrl = (size: Preview) => `${EXAMPLE_MOVIE_FOLDER}/preview-${size}.png`;

/** Addresses of its previews. */
export const EXAMPLE_THUMBNAILS = {
  icon: previewUrl('icon'),
  small: previewUrl('small'),
  medium: previewUrl('medium'),
  large: previewUrl('large'),
  full: previewUrl('full'),
} as const;

/** A flare at the time of the example of events. */
export const EXAMPLE_FLARE = 'ivo://helioedge.sample/FL_SWPC_20240510_063600_99101';
export const FLARE_DATE = '2024-05-10T07:00:00Z';
