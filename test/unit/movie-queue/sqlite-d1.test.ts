import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { expect, it } from 'vitest';
import { movieArrivals, movieWorkers } from '../../../src/movies/movie-tables.ts';
import { migrated } from '../../support/memory/sqlite-d1.ts';

it('the SQLite stand-in for D1 runs the statements of drizzle like D1', async () => {
  const db = drizzle(migrated());
  const inserted = await db.insert(movieWorkers).values({ name: 'one', seenAtMs: 5 }).returning();
  expect(inserted).toEqual([{ name: 'one', seenAtMs: 5 }]);
  const changed = await db.update(movieWorkers).set({ seenAtMs: 7 }).where(eq(movieWorkers.name, 'two'));
  expect(changed.meta.changes).toBe(0);
  expect(await db.get(sql`SELECT seen_at_ms AS seen FROM movie_workers`)).toEqual({ seen: 5 });
  expect(await db.select().from(movieWorkers)).toEqual([{ name: 'one', seenAtMs: 5 }]);
});

it('the SQLite stand-in for D1 runs a batch as one transaction', async () => {
  const db = drizzle(migrated());
  const [, rows] = await db.batch([db.insert(movieArrivals).values({ id: 1, last: 3 }), db.select().from(movieArrivals)]);
  expect(rows).toEqual([{ id: 1, last: 3, virtualTime: 0 }]);
  const twice = db.insert(movieArrivals).values({ id: 1, last: 5 });
  await expect(db.batch([db.update(movieArrivals).set({ last: 4 }), twice])).rejects.toThrow();
  expect(await db.select().from(movieArrivals)).toEqual([{ id: 1, last: 3, virtualTime: 0 }]);
});

it('the SQLite stand-in for D1 supports first, raw and run, and rejects the values that D1 rejects', async () => {
  const database = migrated();
  const { meta } = await database.prepare('INSERT INTO movie_workers VALUES (?, ?), (?, ?)').bind('a', 1, 'b', true).run();
  expect(meta.changes).toBe(2);
  expect(await database.prepare('SELECT name, seen_at_ms FROM movie_workers').raw()).toEqual([
    ['a', 1],
    ['b', 1],
  ]);
  expect(await database.prepare('SELECT name FROM movie_workers WHERE name = ?').bind('b').first('name')).toBe('b');
  expect(await database.prepare('SELECT name FROM movie_workers WHERE name = ?').bind('c').first()).toBeNull();
  expect(() => database.prepare('SELECT ?').bind(undefined)).toThrow('D1_TYPE_ERROR');
  expect(() => database.prepare('SELECT ?').bind(...Array(101).fill(1))).toThrow('too many');
});
