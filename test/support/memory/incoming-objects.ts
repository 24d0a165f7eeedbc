import type { IncomingObjects, MoviePiece } from '../../../src/ports/movies.ts';
import type { StoredObject } from '../../../src/ports/objects.ts';
import type { MemoryObjectStore } from './object-store.ts';

async function bytesOf(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk.slice());
  return Buffer.concat(chunks);
}

/** Streams into a store in memory: an object is there when its stream has ended well. */
export class MemoryIncomingObjects implements IncomingObjects {
  readonly store: MemoryObjectStore;
  /** Uploads that are neither complete nor abandoned, with their pieces. */
  readonly uploads = new Map<string, Map<number, Uint8Array>>();
  #count = 0;

  constructor(store: MemoryObjectStore) {
    this.store = store;
  }

  async putStream(key: string, body: ReadableStream<Uint8Array>): Promise<StoredObject> {
    return this.store.put(key, await bytesOf(body));
  }

  async beginPieces(key: string): Promise<string> {
    const uploadId = `${key}#${++this.#count}`;
    this.uploads.set(uploadId, new Map());
    return uploadId;
  }

  async putPiece(_key: string, uploadId: string, number: number, body: ReadableStream<Uint8Array>): Promise<string> {
    const pieces = this.uploads.get(uploadId);
    if (!pieces) throw new Error('There is no such upload.');
    pieces.set(number, await bytesOf(body));
    return `piece-${number}`;
  }

  async completePieces(key: string, uploadId: string, pieces: readonly MoviePiece[]): Promise<StoredObject> {
    const stored = this.uploads.get(uploadId);
    if (!stored) throw new Error('There is no such upload.');
    this.uploads.delete(uploadId);
    return this.store.put(key, Buffer.concat(pieces.map(({ number }) => stored.get(number)!)));
  }

  async abandonPieces(_key: string, uploadId: string): Promise<void> {
    this.uploads.delete(uploadId);
  }
}
