// Objects in R2. Keys are made by archive/keys.ts and never come from a request.
import { hex, sha256Hex, sha256 as sha256Of } from '../util/bytes.ts';
import { TransientError } from '../util/errors.ts';
import { Service } from '../util/service.ts';

/** Short texts that a listing can give, up to 8 kB. */
export type ObjectMetadata = Readonly<Record<string, string>>;

export interface ListedObject {
  readonly key: string;
  readonly size: number;
  /** Present if the listing asked for it. */
  readonly metadata?: ObjectMetadata;
  /** SHA-256 in hexadecimal, where the store states it with the listing. */
  readonly sha256?: string;
}

export interface ListOptions {
  readonly after?: string;
  readonly limit: number;
  readonly withMetadata?: boolean;
}

/** A page of a listing, which may have fewer objects than were asked for. */
export interface ListedPage {
  readonly objects: readonly ListedObject[];
  /** The key after which the next page begins; null at the end of the listing. */
  readonly next: string | null;
}

export interface UploadedPart {
  /** From 1. */
  readonly partNumber: number;
  readonly etag: string;
}

type Body = Uint8Array | ReadableStream<Uint8Array>;

/** A put is atomic: readers see the whole object or none of it. */
export class R2ObjectStore extends Service<R2Bucket> {
  async head(key: string): Promise<StoredObject | null> {
    const object = await this.ports.head(key);
    return object && describe(object);
  }

  /** Exactly `length` bytes from `offset`; null when there is no such object. @throws RangeError when the object is shorter */
  async read(key: string, offset: number, length: number): Promise<Uint8Array | null> {
    const object = await this.ports.get(key, { range: { offset, length } }).catch(rangeErrorOf);
    if (!object) return null;
    const bytes = await bytesOf(object, Math.min(length, object.size - offset));
    if (bytes.length !== length) throw new RangeError(`The object has ${bytes.length} of the ${length} bytes from ${offset}.`);
    return bytes;
  }

  async readAll(key: string): Promise<Uint8Array | null> {
    const object = await this.ports.get(key);
    return object && bytesOf(object, object.size);
  }

  /** The object, or `length` bytes of it from `offset`, as a stream; null when there is no such object. */
  async stream(key: string, range?: { offset: number; length: number }) {
    const object = await (range ? this.ports.get(key, { range }).catch(rangeErrorOf) : this.ports.get(key));
    return object && { ...describe(object), body: object.body as ReadableStream<Uint8Array> };
  }

  /** @param body A stream has a known length, which R2 requires (fixed-length.ts) */
  async put(key: string, body: Body, contentType: string, metadata?: ObjectMetadata): Promise<StoredObject> {
    const customMetadata = metadata && { customMetadata: metadata };
    return describe(await this.ports.put(key, body, { httpMetadata: { contentType }, ...customMetadata }));
  }

  /** Atomically writes `body` if the key is free; otherwise compares the stored bytes with it. */
  async create(
    key: string,
    body: Uint8Array,
    contentType: string,
    metadata: ObjectMetadata = {},
  ): Promise<'created' | 'same' | 'different'> {
    const sha256 = await sha256Of(body);
    const created = await this.ports.put(key, body, {
      sha256,
      httpMetadata: { contentType },
      customMetadata: metadata,
      onlyIf: { etagDoesNotMatch: '*' },
    });
    if (created) return 'created';
    return (await this.sha256(key)) === hex(sha256) ? 'same' : 'different';
  }

  /**
   * At most `limit` objects, up to a thousand, whose keys begin with `prefix`, in the order of their keys, after the key `after`. R2 gives fewer
   * when their metadata takes much room; `truncated` alone says whether there are more.
   */
  async list(prefix: string, { after, limit, withMetadata = false }: ListOptions): Promise<ListedPage> {
    const asked: R2ListOptions = { prefix, limit, ...(withMetadata ? { include: ['customMetadata'] } : {}) };
    let page = await this.ports.list({ ...asked, ...(after === undefined ? {} : { startAfter: after }) });
    while (page.truncated && page.objects.length === 0) page = await this.ports.list({ ...asked, cursor: page.cursor });
    const objects = page.objects.map((object) => {
      const { key, size, customMetadata } = object;
      const sha256 = storedSha256(object);
      return { key, size, ...(withMetadata ? { metadata: customMetadata ?? {} } : {}), ...(sha256 === null ? {} : { sha256 }) };
    });
    return { objects, next: page.truncated ? objects.at(-1)!.key : null };
  }

  /** A whole object with its SHA-256 in hexadecimal; null when there is none, or when it is longer than `maxBytes`. */
  async whole(key: string, maxBytes: number) {
    const object = await this.ports.get(key);
    if (!object) return null;
    if (object.size > maxBytes) {
      await object.body.cancel();
      return null;
    }
    const bytes = await bytesOf(object, object.size);
    return { bytes, sha256: storedSha256(object) ?? (await sha256Hex(bytes)), metadata: object.customMetadata ?? {} };
  }

  /** SHA-256 of an object in hexadecimal; null when there is no such object. It is read unless R2 knows its hash. */
  async sha256(key: string): Promise<string | null> {
    const object = await this.ports.head(key);
    if (!object) return null;
    return storedSha256(object) ?? (await this.whole(key, object.size))?.sha256 ?? null;
  }

  /** At most a thousand keys, in one call. */
  async delete(keys: string | readonly string[]): Promise<void> {
    await this.ports.delete(typeof keys === 'string' ? keys : [...keys]);
  }

  /** Begins an upload in parts of one length but for the last, and returns its id. A lifecycle rule of the bucket ends one that is not completed. */
  async createMultipart(key: string, contentType: string): Promise<string> {
    return (await this.ports.createMultipartUpload(key, { httpMetadata: { contentType } })).uploadId;
  }

  /** Returns the etag of the part; `partNumber` from 1. */
  async putPart(key: string, uploadId: string, partNumber: number, body: ReadableStream<Uint8Array>): Promise<string> {
    return (await this.ports.resumeMultipartUpload(key, uploadId).uploadPart(partNumber, body)).etag;
  }

  async completeMultipart(key: string, uploadId: string, parts: readonly UploadedPart[]): Promise<StoredObject> {
    return describe(await this.ports.resumeMultipartUpload(key, uploadId).complete([...parts]));
  }

  async abortMultipart(key: string, uploadId: string): Promise<void> {
    await this.ports.resumeMultipartUpload(key, uploadId).abort();
  }
}

/** Roles of the store, by which its users say what they need of it. */
export type ObjectStore = Pick<R2ObjectStore, 'head' | 'read' | 'readAll' | 'stream' | 'put' | 'delete'>;
export type FoundObjects = Pick<R2ObjectStore, 'list' | 'whole' | 'sha256'>;
export type ImmutableObjects = Pick<R2ObjectStore, 'create' | 'delete'>;
export type IncomingObjects = Pick<R2ObjectStore, 'put' | 'createMultipart' | 'putPart' | 'completeMultipart' | 'abortMultipart'>;

/** An object with its strong ETag, quoted. */
const describe = ({ size, httpEtag: etag, uploaded }: R2Object) => ({ size, etag, uploadedAtMs: uploaded.getTime() });

export type StoredObject = Readonly<ReturnType<typeof describe>>;

/** The bytes of a response. @throws TransientError for a body that ends before `length` bytes */
async function bytesOf(object: R2ObjectBody, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(await object.arrayBuffer());
  if (bytes.length < length) throw new TransientError(`The body of an object ended after ${bytes.length} of ${length} bytes.`);
  return bytes;
}

/** The hash that was given when the object was written; null for objects of clients that give another one. */
const storedSha256 = ({ checksums }: R2Object): string | null =>
  checksums.sha256 ? hex(new Uint8Array(checksums.sha256)) : null;

/** @throws RangeError for code 10039 of R2, "range not satisfiable": the offset is beyond the end; else the error itself */
function rangeErrorOf(error: unknown): never {
  if (String(error).includes('10039')) throw new RangeError('The range begins beyond the end of the object.');
  throw error;
}
