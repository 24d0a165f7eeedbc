import type { IncomingObjects, UploadedPart } from '../../ports/movies.ts';
import type { StoredObject } from '../../ports/objects.ts';
import { describe } from '../r2-object-store.ts';

/** Streams into R2, which forgets multipart uploads that are not completed within a week. */
export class R2IncomingObjects implements IncomingObjects {
  readonly #bucket: R2Bucket;

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket;
  }

  async putStream(key: string, body: ReadableStream<Uint8Array>, contentType: string): Promise<StoredObject> {
    return describe(await this.#bucket.put(key, body, { httpMetadata: { contentType } }));
  }

  async createMultipart(key: string, contentType: string): Promise<string> {
    return (await this.#bucket.createMultipartUpload(key, { httpMetadata: { contentType } })).uploadId;
  }

  async putPart(key: string, uploadId: string, partNumber: number, body: ReadableStream<Uint8Array>): Promise<string> {
    return (await this.#bucket.resumeMultipartUpload(key, uploadId).uploadPart(partNumber, body)).etag;
  }

  async completeMultipart(key: string, uploadId: string, parts: readonly UploadedPart[]): Promise<StoredObject> {
    return describe(await this.#bucket.resumeMultipartUpload(key, uploadId).complete([...parts]));
  }

  async abortMultipart(key: string, uploadId: string): Promise<void> {
    await this.#bucket.resumeMultipartUpload(key, uploadId).abort();
  }
}
