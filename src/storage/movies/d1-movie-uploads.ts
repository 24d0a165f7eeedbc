import { and, eq, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import type { MoviePiece, MovieUpload, MovieUploads } from '../../ports/movies.ts';
import type { Databases } from '../databases.ts';
import { movieUploads } from './schema.ts';

/** Uploads in pieces, in the main database: each piece is a request of its own, which may come to another isolate. */
export class D1MovieUploads implements MovieUploads {
  readonly #db: DrizzleD1Database;

  constructor(databases: Databases) {
    this.#db = drizzle(databases.main);
  }

  async begin(upload: MovieUpload): Promise<string | null> {
    const { buildId, name, lease, uploadId } = upload;
    const isFile = and(eq(movieUploads.buildId, buildId), eq(movieUploads.name, name));
    const target = [movieUploads.buildId, movieUploads.name];
    const [before] = await this.#db.batch([
      this.#db.select({ uploadId: movieUploads.uploadId }).from(movieUploads).where(isFile),
      this.#db
        .insert(movieUploads)
        .values({ ...upload, pieces: '{}' })
        .onConflictDoUpdate({ target, set: { lease, uploadId, pieces: '{}' } }),
    ]);
    return before[0]?.uploadId ?? null;
  }

  async find(buildId: number, lease: string, name: string) {
    const [row] = await this.#db
      .select()
      .from(movieUploads)
      .where(and(eq(movieUploads.buildId, buildId), eq(movieUploads.name, name), eq(movieUploads.lease, lease)));
    if (!row) return null;
    const etags = Object.entries<string>(JSON.parse(row.pieces));
    const pieces = etags.map(([number, etag]) => ({ number: Number(number), etag })).sort((a, b) => a.number - b.number);
    return { buildId, lease, name, uploadId: row.uploadId, pieces };
  }

  async addPiece(upload: MovieUpload, { number, etag }: MoviePiece): Promise<void> {
    const pieces = sql`json_set(${movieUploads.pieces}, ${`$."${number}"`}, ${etag})`;
    await this.#db.update(movieUploads).set({ pieces }).where(isSame(upload));
  }

  async end(upload: MovieUpload): Promise<void> {
    await this.#db.delete(movieUploads).where(isSame(upload));
  }
}

function isSame({ buildId, name, uploadId }: MovieUpload) {
  return and(eq(movieUploads.buildId, buildId), eq(movieUploads.name, name), eq(movieUploads.uploadId, uploadId));
}
