import { expect, it } from 'vitest';
import { EXPIRY_DAYS } from '../../../src/archive/keys.ts';
import { sweepUnusedMovies } from '../../../src/movies/movie-service.ts';
import { EVICTED_UNUSED_MS } from '../../../src/platform/limits/admission.ts';
import { MOVIE_LIFE } from '../../../src/platform/limits/movies.ts';
import { DAY_MS } from '../../../src/platform/util/durations.ts';
import { NOW_MS } from '../../support/memory/archived-images.ts';
import { budgetsIn } from '../../support/memory/budgets.ts';
import { databasesIn, fillUp, migrated } from '../../support/memory/sqlite-d1.ts';
import { movieArchive, movieQuery } from '../../support/movies/movie-archive.ts';

function expiringArchive() {
  const archive = movieArchive();
  const { databases, register, clock } = archive;
  const sweep = () => sweepUnusedMovies({ register, clock: () => clock.nowMs });
  const count = async (table: string) =>
    (await databases.main.prepare(`SELECT count(*) AS count FROM ${table}`).first<{ count: number }>())!.count;
  const rows = async () => [await count('movies'), await count('movie_builds')];
  return { ...archive, sweep, rows, count };
}

it('movies and their builds keeps movies while their plans and files last', () => {
  expect(MOVIE_LIFE.unusedMs).toBe(EXPIRY_DAYS['derived/plans/'] * DAY_MS);
  expect(MOVIE_LIFE.buildMs).toBe(EXPIRY_DAYS['derived/movies/'] * DAY_MS);
});

it('movies and their builds forgets movies a year after their last use', async () => {
  const { queue, build, get, clock, sweep, rows, databases } = expiringArchive();
  const [used, unused] = [await queue(), await queue({ frameRate: '7' })];
  for (let i = 0; i < 2; i += 1) await build();
  clock.nowMs += 100 * DAY_MS;
  expect((await get(`/v2/getMovieStatus/?id=${used}&format=mp4`)).status).toBe(200);
  expect([await sweep(), await rows()]).toEqual([0, [2, 2]]);
  clock.nowMs += MOVIE_LIFE.unusedMs - 90 * DAY_MS;
  expect([await sweep(), await rows()]).toEqual([2, [1, 1]]);
  expect((await get(`/v2/getMovieStatus/?id=${used}&format=mp4`)).status).toBe(200);
  expect((await get(`/v2/getMovieStatus/?id=${unused}&format=mp4`)).status).toBe(404);
  // A use that cannot be noted fails no request.
  fillUp(databases.main);
  clock.nowMs += 8 * DAY_MS;
  expect((await get(`/v2/getMovieStatus/?id=${used}&format=mp4`)).status).toBe(200);
});

it('movies and their builds answer with a clear error when they are forgotten, in every operation', async () => {
  const { queue, build, json, get, clock, sweep } = expiringArchive();
  const id = await queue();
  await build();
  clock.nowMs += MOVIE_LIFE.unusedMs + DAY_MS;
  expect(await sweep()).toBe(2);
  const error = `No movie has the id ${id}. queueMovie returns the ids of movies, which expire 365 days after their last use.`;
  for (const path of [`getMovieStatus/?id=${id}&format=mp4`, `downloadMovie/?id=${id}&format=mp4`, `reQueueMovie/?id=${id}`]) {
    const { status, body } = await json(`/v2/${path}`);
    expect([path, status, body]).toEqual([path, 404, expect.objectContaining({ error, parameter: 'id' })]);
  }
  const page = await get(`/v2/playMovie/?id=${id}&format=mp4`);
  expect([page.status, await page.text()]).toEqual([404, expect.stringContaining(id)]);
  expect((await get(`/cache/movies/2024/01/31/${id}/movie.mp4`)).status).toBe(404);
  expect(await queue()).not.toBe(id);
});

it('movies and their builds keeps movies while they are shared, wait or run, and while another movie has the build', async () => {
  const { queue, build, claim, clock, sweep, rows, databases } = expiringArchive();
  const shared = await queue({ frameRate: '7' });
  await build();
  await databases.main
    .prepare(
      `INSERT INTO video_shares (movie_id, session, details, facts, is_shared, start_ms, end_ms, status, created_at_ms, due_at_ms,
          attempts, sent_bytes, file_size) VALUES (?, 's', '{}', '{}', 1, 0, 0, 'done', 0, 0, 0, 0, 0)`,
    )
    .bind(shared)
    .run();
  await queue({ frameRate: '8' });
  await claim();
  await queue({ frameRate: '9' });
  clock.nowMs += MOVIE_LIFE.unusedMs + DAY_MS;
  expect([await sweep(), await rows()]).toEqual([0, [3, 3]]);
  await databases.main.prepare("UPDATE video_shares SET status = 'gone'").run();
  expect(await sweep()).toBe(0);
  clock.nowMs += MOVIE_LIFE.unusedMs + DAY_MS;
  expect([await sweep(), await rows()]).toEqual([2, [2, 2]]);
});

it('movies and their builds leave no row of segments and uploads behind', async () => {
  const { queue, claim, claims, clock, sweep, count } = expiringArchive();
  await queue();
  const { build, lease } = await claim();
  await claims.storedSegment(build.id, lease, 'part-0000-0006.mp4.mp4');
  await claims.fail(build.id, lease, { reason: 'It is broken.', isFinal: true }, clock.nowMs);
  clock.nowMs += MOVIE_LIFE.unusedMs + DAY_MS;
  expect([await sweep(), await count('movie_parts'), await count('movie_builds')]).toEqual([2, 0, 0]);
});

it('movies and their builds deletes movies in steps of two hundred', async () => {
  const { queue, databases, clock, sweep, rows } = expiringArchive();
  const id = await queue();
  await databases.main.prepare('UPDATE movie_builds SET status = 3').run();
  const columns = 'build_id, created_at_ms, token, request, client, cost, used_at_ms';
  await databases.main
    .prepare(
      `INSERT INTO movies (id, ${columns}) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 449)
          SELECT 'x' || i, ${columns} FROM n, movies WHERE id = ?`,
    )
    .bind(id)
    .run();
  clock.nowMs += MOVIE_LIFE.unusedMs + DAY_MS;
  const steps = [await sweep(), await sweep(), await sweep(), await sweep()];
  expect(steps.slice(0, 2)).toEqual([200, 200]);
  expect(steps[2]! + steps[3]!).toBeLessThanOrEqual(51);
  clock.nowMs += MOVIE_LIFE.buildMs + DAY_MS;
  await sweep();
  expect(await rows()).toEqual([0, 0]);
});

it('the budget of movies for all clients deletes movies that have not been used for long before it refuses a new one, and no others', async () => {
  const databases = databasesIn(migrated());
  const clock = { nowMs: NOW_MS };
  const limits = { movies: { clientHour: 1e6, clientDay: 1e6, allDay: 10_000, subject: 'movies' } };
  const budgets = budgetsIn(databases, { clock: () => clock.nowMs, limits });
  const { get, register } = movieArchive({}, { databases, budgets, clock: () => clock.nowMs });
  let made = 0;
  const queued = async (client = `192.0.2.${++made}`) => {
    const path = `/v2/queueMovie/?${movieQuery({ frameRate: String(made) })}`;
    return (await get(path, { headers: { 'CF-Connecting-IP': client } })).json() as Promise<{ id?: string; error?: string }>;
  };
  const known = async (id: string | undefined) => (await register.find(id!)) !== null;
  const fill = async () => {
    const ids: string[] = [];
    for (let { id } = await queued(); id !== undefined; { id } = await queued()) ids.push(id);
    return ids;
  };
  const old = await fill();
  expect(old.length).toBeGreaterThan(1);
  await databases.main.prepare('UPDATE movie_builds SET status = 2').run();
  clock.nowMs += EVICTED_UNUSED_MS + DAY_MS;
  const kept = old.pop()!;
  await get(`/v2/getMovieStatus/?id=${kept}&format=mp4`);
  const recent = await fill();
  // As many as the budget of the day has, and as many again in place of the deleted ones.
  expect(recent.length).toBe(2 * (old.length + 1) - 1);
  expect(await Promise.all(old.map(known))).toEqual(old.map(() => false));
  expect(await Promise.all([kept, ...recent].map(known))).toEqual([kept, ...recent].map(() => true));
  expect(await queued()).toMatchObject({ error: 'This service has used up its daily budget of movies. Try again later.' });
});
