import type { IncomingObjects, MoviePiece } from '../../ports/movies.ts';
import type { StoredObject } from '../../ports/objects.ts';
import { describe } from '../r2-object-store.ts';

/** Streams into R2, which forgets uploads in pieces that are not completed within a week. */
export class R2IncomingObjects implements IncomingObjects {
  readonly #bucket: R2Bucket;

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket;
  }

  async putStream(key: string, body: ReadableStream<Uint8Array>, contentType: string): Promise<StoredObject> {
    return describe(await this.#bucket.put(key, body, { httpMetadata: { contentType } }));
  }

  async beginPieces(key: string, contentType: string): Promise<string> {
    return (await this.#bucket.createMultipartUpload(key, { httpMetadata: { contentType } })).uploadId;
  }

  async putPiece(key: string, uploadId: string, number: number, body: ReadableStream<Uint8Array>): Promise<string> {
    return (await this.#bucket.resumeMultipartUpload(key, uploadId).uploadPart(number, body)).etag;
  }

  async completePieces(key: string, uploadId: string, pieces: readonly MoviePiece[]): Promise<StoredObject> {
    const parts = pieces.map(({ number, etag }) => ({ partNumber: number, etag }));
    return describe(await this.#bucket.resumeMultipartUpload(key, uploadId).complete(parts));
  }

  async abandonPieces(key: string, uploadId: string): Promise<void> {
    await this.#bucket.resumeMultipartUpload(key, uploadId).abort();
  }
}
