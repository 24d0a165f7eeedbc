// The small test archive with movies: a day of AIA 304 images, and the real queue on an in-memory database.
import { movieFileKey } from '../../../src/archive/keys.ts';
import { D1BuildClaims } from '../../../src/movies/d1-build-claims.ts';
import { D1Movies } from '../../../src/movies/d1-movies.ts';
import { MOVIE_FILES, type MovieFileName } from '../../../src/movies/movie.ts';
import { R2MovieFrames } from '../../../src/movies/movie-plan.ts';
import { archivedImage, IMAGES, NOW_MS } from '../memory/archived-images.ts';
import { MemoryImageIndex } from '../memory/image-index.ts';
import type { MemoryObjectStore } from '../memory/object-store.ts';
import { databasesIn, migrated } from '../memory/sqlite-d1.ts';
import { testArchive } from '../test-archive.ts';
import type { Overrides } from '../test-services.ts';
import { MOVIE_TOKEN } from './internal-service.ts';

const TEN_MINUTES_MS = 600_000;

/** 144 images of AIA 304 on 2024-01-01, and 12 of AIA 335 that day. */
export const MOVIE_IMAGES = [
  ...IMAGES,
  ...Array.from({ length: 144 }, (_, i) =>
    archivedImage(1000 * 16 + i * 16 + 13, 13, new Date(Date.UTC(2024, 0, 1) + i * TEN_MINUTES_MS).toISOString()),
  ),
  ...Array.from({ length: 12 }, (_, i) =>
    archivedImage(2000 * 16 + i * 16 + 14, 14, new Date(Date.UTC(2024, 0, 1) + i * 12 * TEN_MINUTES_MS).toISOString()),
  ),
];

export const MOVIE = {
  startTime: '2024-01-01T00:00:00Z',
  endTime: '2024-01-01T05:00:00Z',
  layers: '[13,1,100]',
  events: '',
  eventsLabels: 'false',
  imageScale: '2.4',
  x1: '-960',
  y1: '-480',
  x2: '960',
  y2: '480',
};

export type MovieChanges = Readonly<Record<string, string | undefined>>;

export const movieQuery = (changes: MovieChanges = {}): string => {
  const values = Object.entries({ ...MOVIE, ...changes }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(values).toString();
};

/** Keys of the stored plans. */
export const plansOf = ({ objects }: { readonly objects: MemoryObjectStore }) =>
  [...objects.objects.keys()].filter((key) => key.startsWith('derived/plans/'));

export function movieArchive(env: Readonly<Record<string, string>> = {}, overrides: Overrides = {}) {
  const databases = overrides.databases ?? databasesIn(migrated());
  const register = new D1Movies(databases);
  const claims = new D1BuildClaims(databases);
  const nudges: number[] = [];
  const clock = { nowMs: NOW_MS };
  const index = new MemoryImageIndex(MOVIE_IMAGES);
  const archive = testArchive({
    index,
    variables: { MOVIE_TOKEN, ...env },
    databases,
    send: async () => void nudges.push(clock.nowMs),
    clock: () => clock.nowMs,
    ...overrides,
  });
  const frames = new R2MovieFrames(archive.services.objects);

  const json = async (path: string, init?: RequestInit) => {
    const response = await archive.get(path, init);
    return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, unknown> };
  };
  /** The answer to a request for a movie, of a client at an address. */
  const ask = (changes: MovieChanges = {}, address?: string) =>
    json(`/v2/queueMovie/?${movieQuery(changes)}`, address === undefined ? {} : { headers: { 'CF-Connecting-IP': address } });
  /** Queues a movie. @returns its id */
  const queue = async (changes: MovieChanges = {}) => String((await ask(changes)).body.id);
  const claim = async () => {
    const claimed = (await claims.claim('worker', clock.nowMs))!;
    return { ...claimed, frames: (await frames.find(claimed.build.key))! };
  };

  /** Builds the oldest queued movie, with files whose content names their build. */
  const build = async ({ framesSkipped = 0, seconds = 20, eventsMissing = [] as readonly string[] } = {}) => {
    const { build: claimed, lease, frames: drawn } = await claim();
    clock.nowMs += seconds * 1000;
    const names = Object.keys(MOVIE_FILES) as MovieFileName[];
    const files = await Promise.all(
      names.map(async (name) => {
        const { size, etag } = await archive.objects.put(
          movieFileKey(claimed, name),
          new TextEncoder().encode(`${name} ${claimed.id}`),
        );
        return { name, size, etag };
      }),
    );
    for (const file of files) await claims.stored(claimed.id, lease, file);
    await claims.progress(claimed.id, { lease, framesDone: drawn.length, framesSkipped, stage: 'uploading' }, clock.nowMs);
    // Reports twice, like a worker that fetches markers before and after a pause.
    for (const source of eventsMissing) await claims.missEvents(claimed.id, lease, [source, ...eventsMissing.slice(0, 1)]);
    await claims.finish(claimed.id, { lease, framesSkipped, files, totalMs: seconds * 1000 }, clock.nowMs);
    return { build: claimed, frames: drawn };
  };
  /** Deletes the files of all movies, as a lifecycle rule does. The edge cache has kept them for a minute. */
  const expire = () => {
    archive.cache.entries.clear();
    for (const key of archive.objects.objects.keys()) if (key.startsWith('derived/movies/')) archive.objects.objects.delete(key);
  };
  return { ...archive, databases, index, register, frames, claims, nudges, clock, json, ask, queue, claim, build, expire };
}
