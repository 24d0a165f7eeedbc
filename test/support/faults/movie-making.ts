// Movies under faults: requests for them, and a worker that speaks the protocol, repeats what fails, and sometimes dies.
import { MOVIE_FILES, type MovieFileName } from '../../../src/domain/movies/movie.ts';
import type { BuildClaim } from '../../../src/domain/movies/worker-protocol.ts';
import { WORKER_VERSION } from '../../../src/services/rendering/worker-version.ts';
import { type Answer, type FaultedService, jsonOf } from './faulted-service.ts';
import type { SeededFaults } from './seeded-faults.ts';

const TOKEN = { Authorization: 'Bearer a-token-of-the-movie-workers' };
const ATTEMPTS = 5;
const SEGMENT = 'part-0000-0002.mp4.mp4';
const NAMES = Object.keys(MOVIE_FILES) as MovieFileName[];
const LEASE_LOST = 409;

/** A file as a worker writes it: its name and the lease. */
const contentOf = (name: string, lease: string) => new TextEncoder().encode(`${name} of ${lease}`);

export class MovieMaking {
  /** Ids of the movies that were accepted. */
  readonly accepted = new Set<string>();
  /** Leases of the workers that were told to have finished, by build. */
  readonly finishers = new Map<number, Set<string>>();
  readonly #service: FaultedService;

  constructor(service: FaultedService) {
    this.#service = service;
  }

  async request(query: string): Promise<void> {
    const answer = await this.#service.send(`/v2/queueMovie/?${query}`);
    if (!answer.isGood) return;
    const { id, error } = jsonOf<{ id?: string; error?: string }>(answer);
    this.#service.expect(id !== undefined, `queueMovie: ${error}`);
    if (id !== undefined) this.accepted.add(id);
  }

  async look(faults: SeededFaults): Promise<void> {
    if (this.accepted.size === 0) return;
    const id = faults.pick([...this.accepted]);
    const answer = await this.#service.send(`/v2/getMovieStatus/?id=${id}&format=mp4`);
    this.#service.expect(answer.isGood || answer.status === 503, `the status of the movie ${id} is ${answer.status}`);
  }

  /** Takes a movie and makes it; returns whether there was one. */
  async work(faults: SeededFaults, dies: boolean): Promise<boolean> {
    const claim = await this.#call('movies/claim', {
      method: 'POST',
      body: JSON.stringify({ worker: 'a-worker', version: WORKER_VERSION }),
    });
    if (claim?.status !== 200) return false;
    const { build, lease, segments } = jsonOf<BuildClaim>(claim);
    const lives = () => !dies || faults.random() < 0.9;
    const post = (name: string, body: object) =>
      this.#call(`movies/${build}/${name}`, { method: 'POST', body: JSON.stringify({ lease, ...body }) });
    for (const name of segments) {
      const read = await this.#call(`movies/${build}/files/${name}?lease=${lease}`, {});
      const text = new TextDecoder().decode(read?.body);
      this.#service.expect(!read?.isGood || text.startsWith(`${name} of `), `the segment ${name} is half: ${text}`);
    }
    for (const name of [SEGMENT, ...NAMES]) {
      if (!lives()) return true;
      const body = contentOf(name, lease);
      const put = { method: 'PUT', body, headers: { 'Content-Length': String(body.length) } };
      const stored = await this.#call(`movies/${build}/files/${name}?lease=${lease}`, put);
      if (stored?.status !== 204) return true;
    }
    await post('progress', { framesDone: 1, framesSkipped: 0, stage: 'uploading' });
    if (!lives()) return (await post('release', {})) !== undefined;
    const files = NAMES.map((name) => ({ name, size: contentOf(name, lease).length }));
    const finished = await post('finish', { framesSkipped: 0, files, timings: { totalMs: 900, drawingMs: 1, encodingMs: 1 } });
    if (finished?.status === 204) this.finishers.set(build, (this.finishers.get(build) ?? new Set()).add(lease));
    return true;
  }

  /** Expects every accepted movie to be finished, with whole files of one worker. */
  async expectFinished(): Promise<void> {
    for (const [build, leases] of this.finishers) this.#service.expect(leases.size === 1, `the build ${build} has two finishers`);
    for (const id of this.accepted) {
      const status = jsonOf<{ status: number }>(await this.#service.send(`/v2/getMovieStatus/?id=${id}&format=mp4`));
      this.#service.expect(status.status === 2, `the movie ${id} is ${JSON.stringify(status)}`);
      const texts = await Promise.all(
        ['mp4&hq=true', 'mp4', 'webm'].map(async (format) => {
          const { body } = await this.#service.send(`/v2/downloadMovie/?id=${id}&format=${format}`);
          return new TextDecoder().decode(body);
        }),
      );
      const [, lease] = / of (.*)$/.exec(texts[0]!) ?? [];
      const expected = ['movie-hq.mp4', 'movie.mp4', 'movie.webm'].map((name) => `${name} of ${lease}`);
      this.#service.expect(texts.join() === expected.join(), `the files of the movie ${id} are ${texts.join()}`);
    }
  }

  /** The answer to a request of the worker, repeated while the service asks for it; undefined when it does not end. */
  async #call(path: string, init: RequestInit): Promise<Answer | undefined> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const answer = await this.#service.send(`/internal/${path}`, { ...init, headers: { ...TOKEN, ...init.headers } });
      const isKnown = answer.status < 300 || [LEASE_LOST, 503].includes(answer.status);
      this.#service.expect(isKnown, `${path}: ${answer.status} ${new TextDecoder().decode(answer.body)}`);
      if (answer.isGood || answer.status === LEASE_LOST) return answer;
    }
    return undefined;
  }
}
