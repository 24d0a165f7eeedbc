import type { IncomingObjects, UploadedPart } from '../../../src/ports/movies.ts';
import type { StoredObject } from '../../../src/ports/objects.ts';
import type { MemoryObjectStore } from './object-store.ts';

async function bytesOf(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk.slice());
  return Buffer.concat(chunks);
}

/** Streams into a MemoryObjectStore; an object exists after its stream has ended without an error. */
export class MemoryIncomingObjects implements IncomingObjects {
  readonly store: MemoryObjectStore;
  /** Parts of the uploads in progress. */
  readonly uploads = new Map<string, Map<number, Uint8Array>>();
  #count = 0;

  constructor(store: MemoryObjectStore) {
    this.store = store;
  }

  async putStream(key: string, body: ReadableStream<Uint8Array>): Promise<StoredObject> {
    return this.store.put(key, await bytesOf(body));
  }

  async createMultipart(key: string): Promise<string> {
    const uploadId = `${key}#${++this.#count}`;
    this.uploads.set(uploadId, new Map());
    return uploadId;
  }

  async putPart(_key: string, uploadId: string, partNumber: number, body: ReadableStream<Uint8Array>): Promise<string> {
    const parts = this.uploads.get(uploadId);
    if (!parts) throw new Error('No upload has this id.');
    parts.set(partNumber, await bytesOf(body));
    return `part-${partNumber}`;
  }

  async completeMultipart(key: string, uploadId: string, parts: readonly UploadedPart[]): Promise<StoredObject> {
    const stored = this.uploads.get(uploadId);
    if (!stored) throw new Error('No upload has this id.');
    this.uploads.delete(uploadId);
    return this.store.put(key, Buffer.concat(parts.map(({ partNumber }) => stored.get(partNumber)!)));
  }

  async abortMultipart(_key: string, uploadId: string): Promise<void> {
    this.uploads.delete(uploadId);
  }
}
