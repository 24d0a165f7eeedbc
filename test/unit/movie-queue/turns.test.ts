import { expect, it } from 'vitest';
import { D1BuildClaims } from '../../../src/movies/d1-build-claims.ts';
import { D1Movies } from '../../../src/movies/d1-movies.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';
import { addMovie, START_MS as NOW, newBuild, request, unlimited } from '../../support/movies/movie-builds.ts';

function queue() {
  const databases = databasesIn(migrated());
  const [movies, claims] = [new D1Movies(databases), new D1BuildClaims(databases)];
  const add = (client: string, key: string, cost = 40) => addMovie(movies, request(client), newBuild(key, { cost }), NOW);
  const claim = async () => (await claims.claim('worker', NOW))?.build.key;
  const claimAll = async () => {
    const keys: string[] = [];
    for (let key = await claim(); key !== undefined; key = await claim()) keys.push(key);
    return keys.join(' ');
  };
  const placeOf = async (id: string) => (await movies.ahead((await movies.find(id))!.build)).waiting + 1;
  return { movies, claims, add, claim, claimAll, placeOf };
}

it('the clients of the movie queue take turns, whatever one of them has queued before', async () => {
  const { add, claimAll } = queue();
  for (const key of ['a1', 'a2', 'a3', 'a4']) await add('a', key);
  for (const key of ['b1', 'b2']) await add('b', key);
  await add('c', 'c1');
  expect(await claimAll()).toBe('a1 b1 c1 a2 b2 a3 a4');
});

it('the clients of the movie queue serves clients by cost: two movies of half the cost count as one', async () => {
  const { add, claimAll } = queue();
  for (const key of ['a1', 'a2']) await add('a', key, 100);
  for (const key of ['b1', 'b2', 'b3', 'b4']) await add('b', key, 50);
  expect(await claimAll()).toBe('a1 b1 b2 a2 b3 b4');
});

it('the clients of the movie queue serves clients with one movie each in the order of arrival, whatever the cost', async () => {
  const { add, claim, claimAll } = queue();
  for (const [key, cost] of Object.entries({ a: 900, b: 10, c: 300 })) await add(key, key, cost);
  expect(await claim()).toBe('a');
  for (const [key, cost] of Object.entries({ d: 10, e: 900 })) await add(key, key, cost);
  expect(await claimAll()).toBe('b c d e');
});

it('the clients of the movie queue lets no client keep the second movie of another waiting without end', async () => {
  const { add, claim } = queue();
  for (const key of ['a1', 'a2']) await add('a', key);
  const served: (string | undefined)[] = [];
  for (let i = 0; !served.includes('a2') && i < 100; i++) {
    await add(`client ${i}`, `new ${i}`);
    served.push(await claim());
  }
  expect(served.length).toBeLessThanOrEqual(18);
});

it('the clients of the movie queue tells clients their positions in the order of the claims', async () => {
  const { add, claim, placeOf } = queue();
  const movies = await Array.fromAsync(['a1', 'a2', 'a3', 'b1'], (key) => add(key[0]!, key));
  const places = () => Promise.all(movies.map(({ movie }) => placeOf(movie.id)));
  expect(await places()).toEqual([1, 3, 4, 2]);
  expect(await claim()).toBe('a1');
  expect((await places()).slice(1)).toEqual([2, 3, 1]);
});

it('the clients of the movie queue keep the place of a movie whose worker failed, and get a new one for a movie that is queued again', async () => {
  const { add, claims, movies, claimAll } = queue();
  const first = await add('a', 'a1');
  await add('a', 'a2');
  await add('b', 'b1');
  const { build, lease } = (await claims.claim('worker', NOW))!;
  await claims.fail(build.id, lease, { reason: 'It is broken.', isFinal: false }, NOW);
  expect((await movies.find(first.movie.id))!.build.turn).toBe(first.build.turn);
  const again = (await claims.claim('another worker', NOW))!;
  expect(again.build.key).toBe('a1');
  await claims.fail(again.build.id, again.lease, { reason: 'It is broken.', isFinal: true }, NOW);
  expect(await movies.requeue(again.build.id, { ...unlimited(NOW), client: 'a' })).toBe('queued');
  expect(await claimAll()).toBe('b1 a2 a1');
});
