// The example of every operation in the documentation as a request, over an archive with the images of the examples, a finished movie
// and a screenshot. Images of the hours that the examples measure are files of the sample, whose headers name their law.
import { archivePath } from '../../demo/image-file.ts';
import { sidecarKey } from '../../src/archive/keys.ts';
import { operations } from '../../src/faces/operations.ts';
import { SIDECAR_VERSION } from '../../src/jp2/sidecar.ts';
import { collectQuery } from '../../src/platform/http/request.ts';
import type { ArchivedImage } from '../../src/sun/image.ts';
import { archivedImage } from './memory/archived-images.ts';
import { ampleBudgetsIn } from './memory/budgets.ts';
import { MemoryImageIndex } from './memory/image-index.ts';
import { databasesIn, migrated } from './memory/sqlite-d1.ts';
import { MOVIE_IMAGES, movieArchive } from './movies/movie-archive.ts';
import { EXAMPLE_REGION, OPERATOR, resourceExamples, resourcePath, WEBHOOK_EXAMPLES, ZARR_STORE } from './resource-examples.ts';
import { describeFile } from './sample-archive.ts';
import { sampleFile } from './sample-files.ts';

type Example = Readonly<Record<string, unknown>>;

const HALF_HOUR_MS = 1_800_000;
const EXAMPLE_DAY_MS = Date.UTC(2024, 4, 10);
/** Pixels of a side of an image that can be measured. */
export const MEASURED_SIZE = 256;

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

const isMeasured = ({ sourceId, takenAtMs }: ArchivedImage): boolean =>
  sourceId === EXAMPLE_REGION.sourceId &&
  takenAtMs >= Date.parse(EXAMPLE_REGION.startTime) &&
  takenAtMs <= Date.parse(EXAMPLE_REGION.endTime);

/** The image with a file of the sample. */
async function sampled({ id, sourceId, takenAtMs }: ArchivedImage) {
  const shot = { sourceId, timeMs: takenAtMs, size: MEASURED_SIZE };
  const jp2 = await sampleFile(shot);
  return { jp2, ...(await describeFile(jp2, id, archivePath(shot))) };
}

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
  const measured = await Promise.all(EXAMPLE_IMAGES.filter(isMeasured).map(sampled));
  const others = EXAMPLE_IMAGES.filter((image) => !isMeasured(image));
  const index = new MemoryImageIndex([...MOVIE_IMAGES, ...others, ...measured.map(({ image }) => image)]);
  const databases = databasesIn(migrated());
  const archive = movieArchive(OPERATOR, { index, databases, budgets: ampleBudgetsIn(databases), ...overrides });
  for (const { id, key } of others) archive.objects.objects.set(key, archive.jp2Bytes(id));
  for (const { jp2, image, sidecar } of measured) {
    archive.objects.objects.set(image.key, jp2);
    archive.objects.objects.set(sidecarKey(image.key, SIDECAR_VERSION), sidecar);
  }
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
  const store = await archive.app.direct(`http://sun.test${ZARR_STORE}`);
  const revision = store.headers.get('Location')!.split('/').at(-2)!;
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
    resources: [...resourceExamples(revision), ...WEBHOOK_EXAMPLES],
    good: Object.fromEntries(examples.map(([name, example]) => [name, asQuery(example)])),
  };
}

/** The path of a call of an operation, with its query. */
export const callOf = (name: string, parameters: Readonly<Record<string, string>>): string =>
  `/v2/${name}/?${new URLSearchParams(parameters)}`;

/** The paths of all good requests of visitors that change nothing, with their queries. */
export function readingPaths({ good, resources }: Pick<Awaited<ReturnType<typeof requestableArchive>>, 'good' | 'resources'>) {
  const changes = (name: string, values: Readonly<Record<string, string>>) => {
    const operation = operations.get(name)!;
    return (
      operation.hasSideEffects ||
      operation.call('v2', collectQuery(new URL(`http://sun.test${callOf(name, values)}`))).hasSideEffects
    );
  };
  const calls = Object.entries(good).filter(([name, values]) => !changes(name, values));
  const ofVisitors = resources.filter(({ headers }) => headers === undefined);
  return [
    ...calls.map(([name, parameters]) => callOf(name, parameters)),
    ...ofVisitors.map((example) => `${resourcePath(example, example.elements)}?${new URLSearchParams(example.query)}`),
  ];
}

/** Operations that are disabled here, because no video host is configured. */
export const WITHOUT_HOST = ['getVideoHostAuth', 'getYouTubeAuth', 'uploadMovieToVideoHost', 'uploadMovieToYouTube'];

/** Operations whose examples measure images with a law. */
export const MEASURING_OPERATIONS = ['getValue', 'getImageData', 'getLightCurve', 'getTimeDistance', 'getCutout'];

/** A datasource whose images name no law. */
export const LAWLESS_SOURCE = '13';

/** Statuses of the examples other than 200. */
export const STATUSES: Readonly<Record<string, number>> = {
  ...Object.fromEntries(WITHOUT_HOST.map((name) => [name, 400])),
  // A redirect.
  goto: 302,
  // The movie exists already.
  reQueueMovie: 409,
  // No statistics are collected.
  getUsageStatistics: 400,
  // No event source answers here.
  getEvent: 404,
};
