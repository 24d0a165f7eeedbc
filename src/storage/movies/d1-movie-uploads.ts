import { and, eq, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import type { MovieUpload, MovieUploads, UploadedPart } from '../../ports/movies.ts';
import type { Databases } from '../databases.ts';
import { movieUploads } from './schema.ts';

/** Multipart uploads in progress, in the main database because each part is a request that may reach another isolate. */
export class D1MovieUploads implements MovieUploads {
  readonly #db: DrizzleD1Database;

  constructor({ main }: Pick<Databases, 'main'>) {
    this.#db = drizzle(main);
  }

  async begin(upload: MovieUpload): Promise<string | null> {
    const { buildId, name, lease, uploadId } = upload;
    const isFile = and(eq(movieUploads.buildId, buildId), eq(movieUploads.name, name));
    const target = [movieUploads.buildId, movieUploads.name];
    const [before] = await this.#db.batch([
      this.#db.select({ uploadId: movieUploads.uploadId }).from(movieUploads).where(isFile),
      this.#db
        .insert(movieUploads)
        .values({ ...upload, parts: '{}' })
        .onConflictDoUpdate({ target, set: { lease, uploadId, parts: '{}' } }),
    ]);
    return before[0]?.uploadId ?? null;
  }

  async find(buildId: number, lease: string, name: string) {
    const [row] = await this.#db
      .select()
      .from(movieUploads)
      .where(and(eq(movieUploads.buildId, buildId), eq(movieUploads.name, name), eq(movieUploads.lease, lease)));
    if (!row) return null;
    const etags = Object.entries<string>(JSON.parse(row.parts));
    const parts = etags
      .map(([number, etag]) => ({ partNumber: Number(number), etag }))
      .sort((a, b) => a.partNumber - b.partNumber);
    return { buildId, lease, name, uploadId: row.uploadId, parts };
  }

  async addPart(upload: MovieUpload, { partNumber, etag }: UploadedPart): Promise<void> {
    const parts = sql`json_set(${movieUploads.parts}, ${`$."${partNumber}"`}, ${etag})`;
    await this.#db.update(movieUploads).set({ parts }).where(isSame(upload));
  }

  async end(upload: MovieUpload): Promise<void> {
    await this.#db.delete(movieUploads).where(isSame(upload));
  }
}

function isSame({ buildId, name, uploadId }: MovieUpload) {
  return and(eq(movieUploads.buildId, buildId), eq(movieUploads.name, name), eq(movieUploads.uploadId, uploadId));
}
