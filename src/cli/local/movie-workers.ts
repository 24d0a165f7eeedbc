// The movie workers of the local service: the program of the container as child processes.
import { join } from 'node:path';
import { projectRoot } from '../settings.ts';
import { Supervised } from './supervised.ts';

const PROGRAM = 'build/movie/main.mjs';
const POLL_SECONDS = '5';
/** Time in which a worker returns its job. */
const STOP_MS = 1_000;
/** Requests go before movies, which in a deployment have machines of their own. */
const NICENESS = 10;

interface MovieWorkersOptions {
  /** Port of each worker on 127.0.0.1; their number is the number of workers. */
  readonly ports: readonly number[];
  readonly serviceUrl: string;
  readonly token: string;
  readonly drawThreads: number;
  readonly hangSeconds: number;
  readonly say: (line: string) => void;
}

export function startMovieWorkers(options: MovieWorkersOptions): readonly Supervised[] {
  const { ports, serviceUrl, token, drawThreads, hangSeconds, say } = options;
  return ports.map((port, i) => {
    const name = `local-${i + 1}`;
    return new Supervised({
      name: `the movie worker ${name}`,
      args: [join(projectRoot, PROGRAM)],
      env: {
        ...process.env,
        HOST: '127.0.0.1',
        PORT: String(port),
        SERVICE_URL: serviceUrl,
        MOVIE_TOKEN: token,
        WORKER_NAME: name,
        DRAW_THREADS: String(drawThreads),
        POLL_SECONDS,
      },
      healthUrl: `http://127.0.0.1:${port}/health`,
      hangSeconds,
      stopMs: STOP_MS,
      niceness: NICENESS,
      say,
    });
  });
}
