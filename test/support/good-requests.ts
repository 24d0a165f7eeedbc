// The example of every operation in the documentation as a request, over an archive with the images of the examples, a finished movie
// and a screenshot.
import { operations } from '../../src/routes/operations.ts';
import { archivedImage } from './memory/archived-images.ts';
import { ampleBudgetsIn } from './memory/budgets.ts';
import { MemoryImageIndex } from './memory/image-index.ts';
import { databasesIn, migrated } from './memory/sqlite-d1.ts';
import { MOVIE_IMAGES, movieArchive } from './movies/movie-archive.ts';

type Example = Readonly<Record<string, unknown>>;

const HALF_HOUR_MS = 1_800_000;
const EXAMPLE_DAY_MS = Date.UTC(2024, 4, 10);

/** The sources of the examples, every half hour of the day of the sample archive. */
const EXAMPLE_IMAGES = [10, 11, 13, 4, 19].flatMap((sourceId, place) =>
  Array.from({ length: 48 }, (_, i) =>
    archivedImage(
      (5000 + place * 100 + i) * 16 + (sourceId % 16),
      sourceId,
      new Date(EXAMPLE_DAY_MS + i * HALF_HOUR_MS).toISOString(),
    ),
  ),
);

/** A value as a query has it: lists as JSON. Objects are left out, because only a body has them. */
function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return JSON.stringify(value);
  return typeof value === 'object' ? undefined : String(value);
}

/** An example as a query. */
export function asQuery(example: Example): Record<string, string> {
  const entries = Object.entries(example).map(([name, value]) => [name, textOf(value)] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** The archive, and the examples with the ids of a finished movie and a screenshot in it. `movies`: the operations on that movie. */
export async function requestableArchive(overrides: Parameters<typeof movieArchive>[1] = {}) {
  const index = new MemoryImageIndex([...MOVIE_IMAGES, ...EXAMPLE_IMAGES]);
  const databases = databasesIn(migrated());
  const archive = movieArchive({}, { index, databases, budgets: ampleBudgetsIn(databases), ...overrides });
  for (const { id, key } of EXAMPLE_IMAGES) archive.objects.objects.set(key, archive.jp2Bytes(id));
  const { queueMovie, takeScreenshot } = Object.fromEntries(
    [...operations.values()].map(({ name, example }) => [name, asQuery(example)]),
  );
  const { body: movie } = await archive.json(`/v2/queueMovie/?${new URLSearchParams(queueMovie)}`);
  await archive.build();
  const { body: screenshot } = await archive.json(`/v2/takeScreenshot/?${new URLSearchParams(takeScreenshot)}`);
  const { body: link } = await archive.json(
    `/v2/shortenURL/?${new URLSearchParams(asQuery(operations.get('shortenURL')!.example))}`,
  );
  await archive.get(`/v2/saveWebClientState/?${new URLSearchParams(asQuery(operations.get('saveWebClientState')!.example))}`);
  /** Ids that the service draws at random, or that depend on its address. */
  const drawn: Readonly<Record<string, unknown>> = {
    goto: (link.data as { readonly hash: string }).hash,
    downloadScreenshot: screenshot.id,
  };
  const examples = [...operations.values()].map(({ name, tag, example }) => {
    const isOfMovie = 'id' in example && (tag === 'Movies' || tag === 'Video host');
    const id = drawn[name] ?? (isOfMovie ? movie.id : undefined);
    return [name, id === undefined ? example : { ...example, id }] as const;
  });
  return {
    ...archive,
    index,
    examples: new Map<string, Example>(examples),
    good: Object.fromEntries(examples.map(([name, example]) => [name, asQuery(example)])),
  };
}

/** Operations that are disabled here, because no video host is configured. */
export const WITHOUT_HOST = ['getVideoHostAuth', 'getYouTubeAuth', 'uploadMovieToVideoHost', 'uploadMovieToYouTube'];

/** Statuses of the examples other than 200. */
export const STATUSES: Readonly<Record<string, number>> = {
  ...Object.fromEntries(WITHOUT_HOST.map((name) => [name, 400])),
  // A redirect.
  goto: 302,
  // The movie exists already.
  reQueueMovie: 409,
  // No statistics are collected.
  getUsageStatistics: 400,
  // The images here name no law.
  getValue: 422,
  getImageData: 422,
  getLightCurve: 422,
  getTimeDistance: 422,
  getCutout: 422,
  // No event source answers here.
  getEvent: 404,
};
