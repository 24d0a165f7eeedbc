// Values of the examples in the documentation: what the sample archive of `npm start` has.
import { type Preview, previewFile } from '../domain/movies/movie.ts';

/** Date of most sample images. */
export const EXAMPLE_DATE = '2024-05-10T12:00:00Z';

/** A day of the sample archive, and six hours in it. */
export const EXAMPLE_DAY = { startTime: '2024-05-10T00:00:00Z', endTime: '2024-05-11T00:00:00Z' } as const;

/** AIA 171. */
export const EXAMPLE_SOURCE = 10;

/** The first image of AIA 171 in a new archive: sequence 1 in shard 10. */
export const EXAMPLE_IMAGE = 26;

/** Examples of parameters by name, besides those of requests, words and flags; `date` for all dates. */
export const EXAMPLE_VALUES: Readonly<Record<string, unknown>> = {
  date: EXAMPLE_DATE,
  id: EXAMPLE_IMAGE,
  events: '[AR,all,1]',
  eventsState: { tree_HEK: { labels_visible: true, layers: [{ event_type: 'AR', frms: ['all'], event_instances: [] }] } },
  eventLayers: { tree_HEK: { labels_visible: true, layers: [] } },
  event_selections: ['HEK>>Active Region', 'WSA>>Coronal Hole>>AGONG'],
  event_visibility_selections: { HEK: { marker_visibility: true, label_visibility: false } },
  celestialBodies: { soho: ['mars'] },
  callback: 'show',
  observatory: 'SDO',
  instrument: 'AIA',
  detector: 'AIA',
  measurement: '171',
  cadence: 3600,
  diffCount: 60,
  quality: 80,
  diffTime: 1,
  difference: 1,
  scale: 2,
  scaleX: 0,
  scaleY: 0,
  x1: -1000,
  y1: -1000,
  x2: 1000,
  y2: 1000,
  x0: 0,
  y0: 0,
  width: 1280,
  height: 720,
  movieLength: 10,
  maxFrames: 100,
  size: 1,
  level: 2,
  threshold: 300,
  step: 5,
  wait: 10,
  currentDate: Date.parse(EXAMPLE_DATE),
  skip: 10,
  num: 10,
};

/** The file of an image of AIA 171 in lists. */
export const EXAMPLE_FILE = {
  date: '2024-05-10T00:00:03.000Z',
  name: '2024_05_10__00_00_03_000__SDO_AIA_AIA_171.jp2',
  size: 143_210,
  sha256: '6ea10f9c4f8f2f7a41d3c26a4f1cbd1d5f9d7d3f8f7c83f1ad6a7c7d0a5b4e21',
} as const;

/** Ids that the service draws at random. A reader replaces them by those of an earlier response. */
export const EXAMPLE_MOVIE = 'qFpcNxXJ';
export const EXAMPLE_TOKEN = 'b75412e2219894d6aa9704b20f05e07b';
export const EXAMPLE_SCREENSHOT = 1;

export const EXAMPLE_MOVIE_FOLDER = `https://helioedge.test/cache/movies/2024/05/11/${EXAMPLE_MOVIE}`;

const previewUrl = (size: Preview) => `${EXAMPLE_MOVIE_FOLDER}/${previewFile(size)}`;

export const EXAMPLE_THUMBNAILS = {
  icon: previewUrl('icon'),
  small: previewUrl('small'),
  medium: previewUrl('medium'),
  large: previewUrl('large'),
  full: previewUrl('full'),
} as const;

export const EXAMPLE_FLARE = 'ivo://helioedge.sample/FL_SWPC_20240510_063600_99101';
export const FLARE_DATE = '2024-05-10T07:00:00Z';
