import { createHash } from 'node:crypto';
import type {
  FoundObjects,
  ImmutableObjects,
  IncomingObjects,
  ListOptions,
  ObjectMetadata,
  ObjectStore,
  StoredObject,
  UploadedPart,
} from '../../../src/platform/storage/r2-object-store.ts';

async function bytesOf(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(body, (chunk) => chunk.slice()));
}

/** Objects in a map with ETags like those of R2, and a record of all reads. */
export class MemoryObjectStore implements ObjectStore, ImmutableObjects, FoundObjects, IncomingObjects {
  readonly objects = new Map<string, Uint8Array>();
  /** Parts of the multipart uploads in progress. */
  readonly uploads = new Map<string, Map<number, Uint8Array>>();
  #uploadCount = 0;
  readonly #metadata = new Map<string, ObjectMetadata>();
  reads: { key: string; offset: number; length: number }[] = [];

  #take(key: string, range?: { offset: number; length: number }): Uint8Array | null {
    const bytes = this.objects.get(key);
    if (!bytes) return null;
    const { offset, length } = range ?? { offset: 0, length: bytes.length };
    this.reads.push({ key, offset, length });
    if (offset + length > bytes.length)
      throw new RangeError(`Expected ${length} bytes from ${offset}, got ${bytes.length - offset}.`);
    return bytes.slice(offset, offset + length);
  }

  #describe(bytes: Uint8Array): StoredObject {
    return { size: bytes.length, etag: `"${createHash('md5').update(bytes).digest('hex')}"`, uploadedAtMs: 0 };
  }

  async head(key: string): Promise<StoredObject | null> {
    const bytes = this.objects.get(key);
    return bytes ? this.#describe(bytes) : null;
  }

  async read(key: string, offset: number, length: number): Promise<Uint8Array | null> {
    return this.#take(key, { offset, length });
  }

  async readAll(key: string): Promise<Uint8Array | null> {
    return this.#take(key);
  }

  async stream(key: string, range?: { offset: number; length: number }) {
    const size = this.objects.get(key)?.length ?? 0;
    // R2 gives what there is of a range that begins within the object.
    const most = range && { ...range, length: range.offset < size ? Math.min(range.length, size - range.offset) : range.length };
    const bytes = this.#take(key, most);
    if (!bytes) return null;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes);
        controller.close();
      },
    });
    return { ...this.#describe(this.objects.get(key)!), body };
  }

  async put(key: string, body: Uint8Array | ReadableStream<Uint8Array>, _contentType?: string, metadata?: ObjectMetadata) {
    const bytes = body instanceof Uint8Array ? body.slice() : await bytesOf(body);
    this.objects.set(key, bytes);
    if (metadata) this.#metadata.set(key, metadata);
    return this.#describe(bytes);
  }

  async create(key: string, body: Uint8Array, _contentType?: string, metadata?: ObjectMetadata) {
    const present = this.objects.get(key);
    if (present) return Buffer.compare(present, body) === 0 ? ('same' as const) : ('different' as const);
    await this.put(key, body, '', metadata);
    return 'created' as const;
  }

  async list(prefix: string, { after = '', limit, withMetadata = false }: ListOptions) {
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const objects = keys.slice(0, limit).map((key) => {
      const metadata = withMetadata ? { metadata: this.#metadata.get(key) ?? {} } : {};
      return { key, size: this.objects.get(key)!.length, ...metadata };
    });
    return { objects, next: keys.length > limit ? objects.at(-1)!.key : null };
  }

  async whole(key: string, maxBytes: number) {
    if ((this.objects.get(key)?.length ?? 0) > maxBytes) return null;
    const bytes = this.#take(key);
    return bytes && { bytes, sha256: createHash('sha256').update(bytes).digest('hex'), metadata: this.#metadata.get(key) ?? {} };
  }

  async sha256(key: string) {
    const bytes = this.objects.get(key);
    return bytes ? createHash('sha256').update(bytes).digest('hex') : null;
  }

  async delete(keys: string | readonly string[]): Promise<void> {
    for (const key of [keys].flat()) this.objects.delete(key);
  }

  async createMultipart(key: string): Promise<string> {
    const uploadId = `${key}#${++this.#uploadCount}`;
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
    return this.put(key, Buffer.concat(parts.map(({ partNumber }) => stored.get(partNumber)!)));
  }

  async abortMultipart(_key: string, uploadId: string): Promise<void> {
    this.uploads.delete(uploadId);
  }
}
