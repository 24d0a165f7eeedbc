// Services that several files of browser tests use, each started when the first file asks for it, because a start takes eight seconds
// of processor time.
import type { TestProject } from 'vitest/node';
import { seriesShots } from '../../../demo/archive.ts';
import { MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { retry } from '../../../src/platform/util/retry.ts';
import type { TestShot } from '../sample-files.ts';
import { type ServedArchive, serveArchive, WITHOUT_MOVIES } from '../served-archive.ts';
import { localServer } from '../system/local-server.ts';

/** Before the strongest flare of the sample's day. */
const SEVEN = Date.UTC(2024, 4, 10, 7);
const NOON = Date.UTC(2024, 4, 10, 12);
/** Limit for a hang alone. */
const EVENTS_MS = 120_000;
/** Beside the browsers. */
const SETTINGS = { MOVIE_WORKERS: '1' };

/**
 * Serves images with the events of a time, for which their sources have ten seconds: a busy machine may need more than one attempt.
 * @throws Error when the service or the events do not load
 */
async function serveWithEvents(
  shots: readonly TestShot[],
  atMs: number,
  settings: NodeJS.ProcessEnv = SETTINGS,
): Promise<ServedArchive> {
  const archive = await serveArchive(shots, settings);
  const load = async () => {
    const { headers } = await fetch(`${archive.service.url}/v2/events/?startTime=${new Date(atMs).toISOString()}`);
    const states = headers.get('X-Events-Sources');
    if (!states?.startsWith('HEK=ok')) throw new Error(`The events did not load: ${states}`);
  };
  await retry(load, { forMs: EVENTS_MS, firstMs: 500, longestMs: 2_000 }).catch(async (error) => {
    await archive.close();
    throw error;
  });
  return archive;
}

const STARTS = {
  /** Four images of AIA 171, a minute apart from noon of 10 May 2024, and twelve of AIA 193, half an hour apart from noon. */
  noon: () => {
    const shots = [
      ...seriesShots({ sources: [10], fromMs: NOON, toMs: NOON + 3 * MINUTE_MS, cadenceMs: MINUTE_MS, size: 256 }),
      ...seriesShots({ sources: [11], fromMs: NOON, toMs: NOON + 330 * MINUTE_MS, cadenceMs: 30 * MINUTE_MS, size: 256 }),
    ];
    return serveWithEvents(shots, NOON);
  },
  /** AIA 171 every 5 minutes from 6:40 to 7:20 of the same day, AIA 304 and LASCO C2 at 7:00. */
  seven: () => {
    const span = { fromMs: SEVEN - 20 * MINUTE_MS, toMs: SEVEN + 20 * MINUTE_MS };
    const shots = [
      ...seriesShots({ sources: [10], ...span, cadenceMs: 5 * MINUTE_MS, size: 256 }),
      ...seriesShots({ sources: [13, 4], fromMs: SEVEN, toMs: SEVEN, cadenceMs: MINUTE_MS, size: 256 }),
    ];
    return serveWithEvents(shots, SEVEN);
  },
  /**
   * Fine images for pictures and play: of AIA 171 and LASCO C2 for six minutes from noon, of AIA 193 and 211 for two, of AIA 335, larger than a
   * frame of play, for three, of Hinode XRT in one pair of filters for six; of HMI and AIA 304 (in all pixels) at noon, with AIA 304 as EUVI-A and
   * FSI saw it, and EUVI-B eleven years before.
   */
  fine: () => {
    const minutes = (sources: number[], count: number, size: number) =>
      seriesShots({ sources, fromMs: NOON, toMs: NOON + (count - 1) * MINUTE_MS, cadenceMs: MINUTE_MS, size });
    const shots = [
      ...[...minutes([10, 4], 6, 1024), ...minutes([11, 12], 2, 1024), ...minutes([14], 3, 2048), ...minutes([39], 6, 128)],
      ...[...minutes([19, 20], 1, 1024), ...minutes([13], 1, 4096), ...minutes([23, 85], 1, 512)],
      { sourceId: 27, timeMs: Date.UTC(2013, 4, 10), size: 256 },
      { sourceId: 9, timeMs: NOON, size: 1024, isTurned: true },
    ];
    return serveWithEvents(shots, NOON, WITHOUT_MOVIES);
  },
};

export type SharedArchive = keyof typeof STARTS;

declare module 'vitest' {
  interface ProvidedContext {
    /** Address that answers the name of a shared archive as its path by the address of its service, once it has started. */
    sharedArchives: string;
  }
}

export default async function shareArchives(project: TestProject): Promise<() => Promise<void>> {
  const started = new Map<SharedArchive, Promise<ServedArchive>>();
  const server = await localServer(async (request, response) => {
    const name = request.url!.slice(1) as SharedArchive;
    const archive = started.get(name) ?? STARTS[name]();
    started.set(name, archive);
    const [status, text] = await archive.then(
      ({ service }) => [200, service.url] as const,
      (error: Error) => [500, error.message] as const,
    );
    response.writeHead(status).end(text);
  });
  project.provide('sharedArchives', server.url);
  return async () => {
    await server.close();
    await Promise.allSettled([...started.values()].map(async (archive) => (await archive).close()));
  };
}
