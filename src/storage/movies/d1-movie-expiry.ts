import { sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import { MOVIE_STATUS } from '../../domain/movies/state.ts';
import type { ExpiringMovies, MovieExpiry } from '../../ports/movies.ts';
import type { Databases } from '../databases.ts';
import { movieBuilds, movieSegments, movies, movieUploads } from './schema.ts';

/** Rows of each table that one call looks at, those with the oldest use. */
const EXPIRED_AT_ONCE = 200;

const { queued, processing } = MOVIE_STATUS;

/** States of a shared movie as long as its video may be seen. */
const SHARED = sql`('pending', 'uploading', 'done')`;

/** Expiry of movies and builds in the main database. A movie that is kept although it is due is checked again after another lifetime. */
export class D1MovieExpiry implements ExpiringMovies {
  readonly #db: DrizzleD1Database;

  constructor({ main }: Pick<Databases, 'main'>) {
    this.#db = drizzle(main);
  }

  async expire({ nowMs, moviesBeforeMs, buildsBeforeMs }: MovieExpiry): Promise<number> {
    const oldest = (table: 'movies' | 'movie_builds', beforeMs: number) =>
      sql`(SELECT id FROM ${sql.identifier(table)} WHERE used_at_ms < ${beforeMs} ORDER BY used_at_ms LIMIT ${EXPIRED_AT_ONCE})`;
    const [dueMovies, dueBuilds] = [oldest('movies', moviesBeforeMs), oldest('movie_builds', buildsBeforeMs)];
    const isKept = sql`(EXISTS (SELECT 1 FROM video_shares WHERE movie_id = movies.id AND status IN ${SHARED})
      OR EXISTS (SELECT 1 FROM movie_builds WHERE id = movies.build_id AND status IN (${queued}, ${processing})))`;
    const isNeeded = sql`(status IN (${queued}, ${processing}) OR EXISTS (SELECT 1 FROM movies WHERE build_id = movie_builds.id))`;
    const expired = sql`(SELECT id FROM movie_builds WHERE id IN ${dueBuilds} AND NOT ${isNeeded})`;
    const usedNow = { usedAtMs: nowMs };
    const results = await this.#db.batch([
      this.#db.delete(movies).where(sql`id IN ${dueMovies} AND NOT ${isKept}`),
      this.#db.update(movies).set(usedNow).where(sql`id IN ${dueMovies} AND ${isKept}`),
      this.#db.delete(movieSegments).where(sql`build_id IN ${expired}`),
      this.#db.delete(movieUploads).where(sql`build_id IN ${expired}`),
      this.#db.delete(movieBuilds).where(sql`id IN ${dueBuilds} AND NOT ${isNeeded}`),
      this.#db.update(movieBuilds).set(usedNow).where(sql`id IN ${dueBuilds} AND ${isNeeded}`),
    ]);
    return results[0].meta.changes + results[4].meta.changes;
  }
}
