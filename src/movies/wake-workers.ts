// Wakes movie workers by POST /wake, upon which they claim movies. A worker that cannot be reached is tried again at the next nudge.
import { MOVIE_BUILDS } from '../platform/limits/movies.ts';
import type { Log } from '../platform/ports/timing.ts';
import type { MovieQueueSettings } from '../platform/settings/movies.ts';

type Wakeable = { readonly name: string; wake(init: RequestInit): Promise<Response> };

export interface WakeableWorkers {
  /** Wakes `count` workers, or all where there are fewer; another takes the place of one that cannot be woken. Never rejects. */
  wake(count: number): Promise<void>;
}

function wakeableWorkers(workers: readonly Wakeable[], token: string, timeoutMs: number, log: Log): WakeableWorkers {
  async function isWoken(worker: Wakeable): Promise<boolean> {
    try {
      const response = await worker.wake({
        method: 'POST',
        headers: { Authorization: `Bearer ${token}` },
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.body?.cancel();
      if (!response.ok) log({ movieWorker: worker.name, status: response.status });
      return response.ok;
    } catch (error) {
      log({ movieWorker: worker.name, unreachable: String(error) });
      return false;
    }
  }
  return {
    async wake(count) {
      const asleep = [...workers];
      const wakeOne = async () => {
        for (let worker = asleep.shift(); worker; worker = asleep.shift()) if (await isWoken(worker)) return;
      };
      await Promise.all(workers.slice(0, count).map(wakeOne));
    },
  };
}

export function httpMovieWorkers(urls: readonly string[], token: string, log: Log, fetcher: typeof fetch = fetch) {
  const workers = urls.map((url) => ({ name: url, wake: (init: RequestInit) => fetcher(`${url}/wake`, init) }));
  return wakeableWorkers(workers, token, MOVIE_BUILDS.wakeDeadlineMs, log);
}

/** `count` containers of a namespace, which start when they are woken. */
function containerMovieWorkers(containers: DurableObjectNamespace, count: number, token: string, log: Log): WakeableWorkers {
  const workers = Array.from({ length: count }, (_, i) => {
    const name = `movie-${i + 1}`;
    const wake = (init: RequestInit) => containers.get(containers.idFromName(name)).fetch('http://movie/wake', init);
    return { name, wake };
  });
  return wakeableWorkers(workers, token, MOVIE_BUILDS.containerStartMs, log);
}

/** Workers of the settings: URLs before containers, whose binding fails where they are disabled; none without a token, for want of claims. */
export function movieWorkersFrom(
  { movieToken, movieWorkerUrls, movieContainers }: MovieQueueSettings,
  containers: () => DurableObjectNamespace | undefined,
  log: Log,
): WakeableWorkers {
  if (movieToken === null) return wakeableWorkers([], '', MOVIE_BUILDS.wakeDeadlineMs, log);
  if (movieWorkerUrls.length > 0) return httpMovieWorkers(movieWorkerUrls, movieToken, log);
  const namespace = movieContainers > 0 ? containers() : undefined;
  if (namespace) return containerMovieWorkers(namespace, movieContainers, movieToken, log);
  return wakeableWorkers([], movieToken, MOVIE_BUILDS.wakeDeadlineMs, log);
}
