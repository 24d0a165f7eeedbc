import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MOVIE_STATUS } from '../../../src/movies/movie.ts';
import { type FoundMovie, MovieWatch } from '../../../src/movies/movie-service.ts';
import { MOVIE_STATUS_WAIT } from '../../../src/platform/limits/movies.ts';

/** A movie whose fields the test changes, and the number of its readings. */
function watched() {
  const state = { status: MOVIE_STATUS.queued as number, framesDone: 0, position: 3 };
  const reads = { movie: 0, position: 0 };
  const watch = new MovieWatch({
    find: async (id) => {
      reads.movie++;
      return { movie: { id }, build: { ...state } } as unknown as FoundMovie;
    },
    position: async () => {
      reads.position++;
      return state.position;
    },
  });
  const changed = async (seconds = 30, client = 'client') => {
    const fromMs = performance.now();
    const stateOf = ({ build }: FoundMovie) => `${build.status} ${build.framesDone}`;
    const { build } = await watch.changed({ id: 'movie', client, seconds, stateOf });
    return { framesDone: build.framesDone, seconds: (performance.now() - fromMs) / 1000 };
  };
  return { state, reads, changed };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('requests that wait for a change of a movie', () => {
  it('share its reading, however many they are', async () => {
    const { state, reads, changed } = watched();
    state.status = MOVIE_STATUS.processing;
    const waiting = Array.from({ length: 100 }, (_, n) => changed(30, `client ${n}`));
    await vi.advanceTimersByTimeAsync(9_900);
    expect(reads.movie).toBeLessThanOrEqual(100 + 9);
    state.framesDone = 5;
    await vi.advanceTimersByTimeAsync(2_500);
    for (const { framesDone } of await Promise.all(waiting)) expect(framesDone).toBe(5);
    expect(reads).toEqual({ movie: expect.any(Number), position: 0 });
    expect(reads.movie).toBeLessThanOrEqual(100 + 12);
  });

  it('see a changed position in the queue within seconds', async () => {
    const { state, reads, changed } = watched();
    const waiting = changed();
    await vi.advanceTimersByTimeAsync(8_000);
    state.position = 2;
    await vi.advanceTimersByTimeAsync(6_000);
    expect((await waiting).seconds).toBeLessThan(8 + 6);
    expect(reads.position).toBeLessThanOrEqual(4);
  });

  it('end with the movie as it is then', async () => {
    const { state, changed } = watched();
    const waiting = changed(0.5);
    await vi.advanceTimersByTimeAsync(300);
    state.framesDone = 7;
    await vi.advanceTimersByTimeAsync(300);
    expect(await waiting).toEqual({ framesDone: 7, seconds: 0.5 });
  });

  it.each([
    ['of a client', MOVIE_STATUS_WAIT.mostWaitersOfClient, () => 'client'],
    ['in all', MOVIE_STATUS_WAIT.mostWaiters, (n: number) => `client ${n}`],
  ])('look once more, after some seconds, above the limit %s', async (_, most, clientOf) => {
    const { reads, changed } = watched();
    const waiting = Array.from({ length: most }, (__, n) => changed(30, clientOf(n)));
    await vi.advanceTimersByTimeAsync(100);
    const before = reads.movie;
    const above = changed(30, clientOf(most));
    await vi.advanceTimersByTimeAsync(MOVIE_STATUS_WAIT.unwatchedMs + 100);
    expect((await above).seconds).toBe(MOVIE_STATUS_WAIT.unwatchedMs / 1000);
    expect(reads.movie - before).toBeLessThanOrEqual(2 + 6);
    await vi.advanceTimersByTimeAsync(60_000);
    await Promise.all(waiting);
    const next = changed(30, clientOf(0));
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await next).seconds).toBe(30);
  });

  it('frees the places of cancelled requests that were not noticed as cancelled', async () => {
    const state = { hangs: true };
    const find = () =>
      Promise.resolve({ movie: { id: 'movie' }, build: { status: MOVIE_STATUS.queued } } as unknown as FoundMovie);
    const watch = new MovieWatch({ find, position: () => (state.hangs ? new Promise(() => undefined) : Promise.resolve(1)) });
    const waiting = { id: 'movie', client: 'client', seconds: 30, stateOf: () => '' };
    for (let n = 0; n < MOVIE_STATUS_WAIT.mostWaitersOfClient; n++) void watch.changed(waiting);
    await vi.advanceTimersByTimeAsync(60_000);
    state.hangs = false;
    const fromMs = performance.now();
    const next = watch.changed(waiting).then(() => performance.now() - fromMs);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await next).toBe(30_000);
  });
});
