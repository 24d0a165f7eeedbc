// Object storage. Keys are made by archive/keys.ts and never come from a request.

export interface StoredObject {
  readonly size: number;
  /** Strong ETag, quoted. */
  readonly etag: string;
  readonly uploadedAtMs: number;
}

export type ObjectMetadata = Readonly<Record<string, string>>;

export interface ObjectStore {
  head(key: string): Promise<StoredObject | null>;
  /** Exactly `length` bytes from `offset`; null when there is no such object. @throws RangeError when the object is shorter */
  read(key: string, offset: number, length: number): Promise<Uint8Array | null>;
  readAll(key: string): Promise<Uint8Array | null>;
  /** The object, or `length` bytes of it from `offset`, as a stream; null when there is no such object. */
  stream(
    key: string,
    range?: { offset: number; length: number },
  ): Promise<(StoredObject & { body: ReadableStream<Uint8Array> }) | null>;
  /** `metadata`: short texts that a listing can give, up to 8 kB. */
  put(key: string, body: Uint8Array, contentType: string, metadata?: ObjectMetadata): Promise<StoredObject>;
  delete(key: string): Promise<void>;
}

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

/** A whole object with its SHA-256 in hexadecimal, which the store may know. */
export interface WholeObject {
  readonly metadata: ObjectMetadata;
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

export interface FoundObjects {
  /** At most `limit` objects, up to a thousand, whose keys begin with `prefix`, in the order of their keys, after the key `after`. */
  list(prefix: string, options: ListOptions): Promise<ListedPage>;
  /** Null when there is no such object, or when it is longer than `maxBytes`. */
  whole(key: string, maxBytes: number): Promise<WholeObject | null>;
  /** SHA-256 of an object in hexadecimal; null when there is no such object. It is read unless the store knows its hash. */
  sha256(key: string): Promise<string | null>;
}

export interface ImmutableObjects {
  /** Atomically writes `body` if the key is free; otherwise compares the stored bytes with it. */
  create(
    key: string,
    body: Uint8Array,
    contentType: string,
    metadata?: ObjectMetadata,
  ): Promise<'created' | 'same' | 'different'>;
  /** At most a thousand keys. */
  delete(keys: string | readonly string[]): Promise<void>;
}

export interface UploadedPart {
  /** From 1. */
  readonly partNumber: number;
  readonly etag: string;
}

/** Writes objects from streams. Readers see the whole object or nothing; a failed body writes nothing. */
export interface IncomingObjects {
  /** `body`: a stream of known length, which R2 requires (platform/storage/fixed-length.ts). */
  putStream(key: string, body: ReadableStream<Uint8Array>, contentType: string): Promise<StoredObject>;
  /** Begins a multipart upload, whose parts have one length but for the last, and returns its id. Readers see nothing of it until it is completed. */
  createMultipart(key: string, contentType: string): Promise<string>;
  /** Returns the etag of the part; `partNumber` from 1. */
  putPart(key: string, uploadId: string, partNumber: number, body: ReadableStream<Uint8Array>): Promise<string>;
  completeMultipart(key: string, uploadId: string, parts: readonly UploadedPart[]): Promise<StoredObject>;
  abortMultipart(key: string, uploadId: string): Promise<void>;
}
