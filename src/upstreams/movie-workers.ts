// Movie workers are woken by POST /wake and then ask for work by themselves. One that cannot be reached is woken the next time.

import { MOVIE_JOBS } from '../config/limits/movies.ts';
import type { MovieQueueSettings } from '../config/settings/movies.ts';
import type { MovieWorkers } from '../ports/movies.ts';
import type { Log } from '../ports/timing.ts';

/** Something that takes requests: a container, or whatever listens at an address. */
interface Wakeable {
  readonly name: string;
  wake(init: RequestInit): Promise<Response>;
}

class WakeableWorkers implements MovieWorkers {
  readonly #workers: readonly Wakeable[];
  readonly #token: string;
  readonly #deadlineMs: number;
  readonly #log: Log;

  constructor(workers: readonly Wakeable[], token: string, deadlineMs: number, log: Log) {
    this.#workers = workers;
    this.#token = token;
    this.#deadlineMs = deadlineMs;
    this.#log = log;
  }

  /** For each that cannot be woken, one that was not meant to be takes its place: a movie must not wait for a worker that is gone. */
  async wake(count: number): Promise<void> {
    const asleep = [...this.#workers];
    const wakeOne = async () => {
      for (let worker = asleep.shift(); worker; worker = asleep.shift()) if (await this.#wake(worker)) return;
    };
    await Promise.all(this.#workers.slice(0, count).map(wakeOne));
  }

  /** Whether the worker is awake. */
  async #wake(worker: Wakeable): Promise<boolean> {
    try {
      const answer = await worker.wake({
        method: 'POST',
        headers: { Authorization: `Bearer ${this.#token}` },
        redirect: 'manual',
        signal: AbortSignal.timeout(this.#deadlineMs),
      });
      await answer.body?.cancel();
      if (!answer.ok) this.#log({ movieWorker: worker.name, answered: answer.status });
      return answer.ok;
    } catch (error) {
      this.#log({ movieWorker: worker.name, unreachable: String(error) });
      return false;
    }
  }
}

/** Workers that listen at addresses. */
export function httpMovieWorkers(urls: readonly string[], token: string, log: Log, fetcher: typeof fetch = fetch): MovieWorkers {
  const workers = urls.map((url) => ({ name: url, wake: (init: RequestInit) => fetcher(`${url}/wake`, init) }));
  return new WakeableWorkers(workers, token, MOVIE_JOBS.wakeDeadlineMs, log);
}

/** Containers of a namespace, so many of them; one that sleeps is started. */
export function containerMovieWorkers(containers: DurableObjectNamespace, count: number, token: string, log: Log): MovieWorkers {
  const workers = Array.from({ length: count }, (_, i) => {
    const name = `movie-${i + 1}`;
    const wake = (init: RequestInit) => containers.get(containers.idFromName(name)).fetch('http://movie/wake', init);
    return { name, wake };
  });
  return new WakeableWorkers(workers, token, MOVIE_JOBS.containerStartMs, log);
}

/**
 * The workers of the settings: addresses count before containers, whose binding is not touched then, since it fails where
 * containers are off. Without a token nobody is woken, because nobody could ask for work.
 */
export function movieWorkersFrom(
  { movieToken, movieWorkerUrls, movieContainers }: MovieQueueSettings,
  containers: () => DurableObjectNamespace | undefined,
  log: Log,
): MovieWorkers {
  if (movieToken === null) return new WakeableWorkers([], '', MOVIE_JOBS.wakeDeadlineMs, log);
  if (movieWorkerUrls.length > 0) return httpMovieWorkers(movieWorkerUrls, movieToken, log);
  const namespace = movieContainers > 0 ? containers() : undefined;
  if (namespace) return containerMovieWorkers(namespace, movieContainers, movieToken, log);
  return new WakeableWorkers([], movieToken, MOVIE_JOBS.wakeDeadlineMs, log);
}
