// The service with the images that viewers look at.
import { atMinute, type LargeImage, largeImages } from '../images.ts';
import { ingest, type StartService, sourceOf, whileRunning, withState } from '../service.ts';
import type { Images } from './viewers.ts';

/** Images of the archive, one a minute. */
const IMAGES = 10;
/** Without a token of the movie workers, movies are disabled. */
const MOVIES = { MOVIE_TOKEN: 'token-of-the-bench-workers' };

export interface ServedImages extends Images {
  readonly url: string;
  readonly image: LargeImage;
}

/** A duration of the environment; `unset` without one. */
export function durationOf(name: string, unset: number): number {
  const value = Number(process.env[name] || unset);
  if (!(value > 0)) throw new Error(`Expected a number above 0 for ${name}, got ${process.env[name]}.`);
  return value;
}

/** Runs `work` with a service on a state of its own, with 4096 x 4096 images of which no tile has been requested. */
export function withImages<T>(log: (line: string) => void, work: (served: ServedImages) => Promise<T>): Promise<T> {
  const serve = async (start: StartService): Promise<T> => {
    const [image] = await largeImages(log);
    return whileRunning(start, async (url) => {
      const ids: number[] = [];
      for (let minute = 0; minute < IMAGES; minute++) {
        const { fileName, file } = atMinute(image!, minute);
        ids.push(await ingest(url, fileName, file));
      }
      return work({ url, ids, sourceId: await sourceOf(url, atMinute(image!, 0).fileName), image: image! });
    });
  };
  return withState(log, serve, MOVIES);
}
