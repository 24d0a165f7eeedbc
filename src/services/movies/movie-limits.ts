// Limits of the queue and of each client, in megapixels to draw and encode. The register tests them in its transactions.
import { MOVIE_QUEUE } from '../../config/limits/movies.ts';
import type { MovieSettings } from '../../config/settings/movies.ts';
import { Failure } from '../../domain/errors.ts';
import { movieRecipeString } from '../../domain/movies/movie-recipe.ts';
import type { MovieRequest } from '../../domain/movies/movie-request.ts';
import type { MovieBuild, MovieRegister, QueueLimits } from '../../ports/movies.ts';
import type { Clock } from '../../ports/timing.ts';
import { clientHashes } from '../client-hashes.ts';

interface LimitPorts {
  readonly register: Pick<MovieRegister, 'queueLength' | 'costSince'>;
  readonly clock: Clock;
  readonly settings: MovieSettings;
  /** Key of the hashes under which clients are stored, known to the service alone. */
  readonly secret: string;
}

/** Limits of a client, and the hash under which it is stored. */
export interface ClientLimits extends QueueLimits {
  readonly client: string;
}

/** Minimum charge of a request, by the text that it stores. */
export function minimumCost({ recipe }: Pick<MovieBuild, 'recipe'>, request: MovieRequest): number {
  const characters = movieRecipeString(recipe).length + JSON.stringify(request).length;
  return MOVIE_QUEUE.minCost * Math.ceil(characters / MOVIE_QUEUE.charactersPerMinCost);
}

export class MovieLimits {
  readonly #ports: LimitPorts;

  constructor(ports: LimitPorts) {
    this.#ports = ports;
  }

  async of(address: string): Promise<ClientLimits> {
    const { settings, clock, secret } = this.#ports;
    const sinceMs = clock() - MOVIE_QUEUE.clientPeriodMs;
    const clients = await clientHashes(address, secret, [clock(), sinceMs]);
    return { client: clients[0]!, queued: settings.queueLimit, clients, sinceMs, clientCost: settings.clientCost };
  }

  /** @throws Failure `too-costly` or `queue-full` for a new build of `cost` megapixels that is over one of the limits now */
  async expectRoom(cost: number, limits: ClientLimits): Promise<void> {
    const total = await this.#total(cost, limits);
    if (total > limits.clientCost) throw tooCostly(limits, total);
    const { queued } = await this.#ports.register.queueLength();
    if (queued >= limits.queued) throw queueFull(queued);
  }

  /** The failure of a movie of `cost` megapixels that the register has rejected. */
  async rejection(cost: number, limits: ClientLimits): Promise<Failure> {
    const total = await this.#total(cost, limits);
    return total > limits.clientCost ? tooCostly(limits, total) : queueFull((await this.#ports.register.queueLength()).queued);
  }

  /** Cost of the client's movies with one of `cost`. */
  async #total(cost: number, { clients, sinceMs }: ClientLimits): Promise<number> {
    const costs = await Promise.all(clients.map((hash) => this.#ports.register.costSince(hash, sinceMs)));
    return costs.reduce((sum, each) => sum + each, cost);
  }
}

function queueFull(waiting: number): Failure {
  const { retryAfterSeconds } = MOVIE_QUEUE;
  const sentence = `The movie queue is full (${waiting} waiting). Try again in ${retryAfterSeconds} seconds.`;
  return new Failure('queue-full', sentence, { retryAfterSeconds });
}

function tooCostly({ clientCost }: QueueLimits, total: number): Failure {
  const sentence =
    `An address can have ${clientCost} megapixels of movies built in an hour; with this movie it would be ` +
    `${Math.ceil(total)}. Try again later, or request fewer or smaller frames.`;
  return new Failure('too-costly', sentence, { retryAfterSeconds: MOVIE_QUEUE.retryAfterSeconds });
}
