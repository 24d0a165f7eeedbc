// The service with the images that viewers look at, and a movie of them.
import { atMinute, largeImages } from '../images.ts';
import { ingestCopies, type StartService, sourceOf, whileRunning, withState } from '../service.ts';

/** Images of the archive, one a minute. */
const IMAGES = 10;
/** Without a token of the movie workers, movies are disabled. */
const MOVIES = { MOVIE_TOKEN: 'token-of-the-bench-workers' };

export type ServedImages = Awaited<ReturnType<typeof serveImages>>;

/** A duration of the environment; `unset` without one. */
export function durationOf(name: string, unset: number): number {
  const value = Number(process.env[name] || unset);
  if (!(value > 0)) throw new Error(`Expected a number above 0 for ${name}, got ${process.env[name]}.`);
  return value;
}

/** Queues a movie of all images; its id. A movie of another frame rate is another movie. */
export async function queueMovie(url: string, sourceId: number, frameRate = 10): Promise<string> {
  const period = `startTime=2022-01-01T00:00:00Z&endTime=2022-01-01T00:${String(IMAGES).padStart(2, '0')}:00Z`;
  const view = 'imageScale=2.42044088&x0=0&y0=0&width=512&height=512&events=&eventsLabels=false';
  const response = await fetch(`${url}/v2/queueMovie/?${period}&layers=[${sourceId},1,100]&${view}&frameRate=${frameRate}`);
  const { id } = (await response.json()) as { id?: string };
  if (id === undefined) throw new Error(`Expected a movie to be queued, got status ${response.status}.`);
  return id;
}

/** Ingests 4096 x 4096 images into an empty archive, and queues a movie of them. */
export async function serveImages(url: string, log: (line: string) => void) {
  const [image] = await largeImages(log);
  const ids = await ingestCopies(url, image!, IMAGES);
  const sourceId = await sourceOf(url, atMinute(image!, 0).fileName);
  return { url, ids, sourceId, image: image!, movie: await queueMovie(url, sourceId) };
}

/**
 * Runs `work` with a service on a state of its own, with images of which no tile has been requested. The movie waits, because there are no
 * movie workers, which would take processor time of the service.
 */
export function withImages<T>(log: (line: string) => void, work: (served: ServedImages) => Promise<T>): Promise<T> {
  const serve = (start: StartService): Promise<T> => whileRunning(start, async (url) => work(await serveImages(url, log)));
  return withState(log, serve, MOVIES);
}
