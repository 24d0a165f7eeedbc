// Wakes movie workers by POST /wake, upon which they claim movies. A worker that cannot be reached is tried again at the next nudge.
import { MOVIE_BUILDS } from '../config/limits/movies.ts';
import type { MovieQueueSettings } from '../config/settings/movies.ts';
import type { Log } from '../ports/timing.ts';

/** A container, or a worker at a URL. */
interface Wakeable {
  readonly name: string;
  wake(init: RequestInit): Promise<Response>;
}

export class WakeableWorkers {
  readonly #workers: readonly Wakeable[];
  readonly #token: string;
  readonly #timeoutMs: number;
  readonly #log: Log;

  constructor(workers: readonly Wakeable[], token: string, timeoutMs: number, log: Log) {
    this.#workers = workers;
    this.#token = token;
    this.#timeoutMs = timeoutMs;
    this.#log = log;
  }

  /**
   * Wakes `count` workers, or all where there are fewer. A worker that cannot be woken is replaced by another one, so that no movie
   * waits for a worker that is gone. Never rejects.
   */
  async wake(count: number): Promise<void> {
    const asleep = [...this.#workers];
    const wakeOne = async () => {
      for (let worker = asleep.shift(); worker; worker = asleep.shift()) if (await this.#wake(worker)) return;
    };
    await Promise.all(this.#workers.slice(0, count).map(wakeOne));
  }

  /** Returns whether the worker is awake. */
  async #wake(worker: Wakeable): Promise<boolean> {
    try {
      const response = await worker.wake({
        method: 'POST',
        headers: { Authorization: `Bearer ${this.#token}` },
        redirect: 'manual',
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      await response.body?.cancel();
      if (!response.ok) this.#log({ movieWorker: worker.name, status: response.status });
      return response.ok;
    } catch (error) {
      this.#log({ movieWorker: worker.name, unreachable: String(error) });
      return false;
    }
  }
}

export function httpMovieWorkers(
  urls: readonly string[],
  token: string,
  log: Log,
  fetcher: typeof fetch = fetch,
): WakeableWorkers {
  const workers = urls.map((url) => ({ name: url, wake: (init: RequestInit) => fetcher(`${url}/wake`, init) }));
  return new WakeableWorkers(workers, token, MOVIE_BUILDS.wakeDeadlineMs, log);
}

/** `count` containers of a namespace, which start when they are woken. */
function containerMovieWorkers(containers: DurableObjectNamespace, count: number, token: string, log: Log): WakeableWorkers {
  const workers = Array.from({ length: count }, (_, i) => {
    const name = `movie-${i + 1}`;
    const wake = (init: RequestInit) => containers.get(containers.idFromName(name)).fetch('http://movie/wake', init);
    return { name, wake };
  });
  return new WakeableWorkers(workers, token, MOVIE_BUILDS.containerStartMs, log);
}

/**
 * The workers of the settings. URLs take precedence over containers, whose binding is then not accessed because it fails where
 * containers are disabled. Without a token no worker is woken, because none could claim movies.
 */
export function movieWorkersFrom(
  { movieToken, movieWorkerUrls, movieContainers }: MovieQueueSettings,
  containers: () => DurableObjectNamespace | undefined,
  log: Log,
): WakeableWorkers {
  if (movieToken === null) return new WakeableWorkers([], '', MOVIE_BUILDS.wakeDeadlineMs, log);
  if (movieWorkerUrls.length > 0) return httpMovieWorkers(movieWorkerUrls, movieToken, log);
  const namespace = movieContainers > 0 ? containers() : undefined;
  if (namespace) return containerMovieWorkers(namespace, movieContainers, movieToken, log);
  return new WakeableWorkers([], movieToken, MOVIE_BUILDS.wakeDeadlineMs, log);
}
