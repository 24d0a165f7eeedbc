// R2 in memory: conditional puts, ranges, checksums, multipart uploads, lists in pages.
import { createHash } from 'node:crypto';
import type { Caller } from '../calls.ts';

const ERRORS = [
  'We encountered an internal error. Please try again. (10001)',
  'Please look at https://www.cloudflarestatus.com for issues or contact customer support. (10043)',
];
/** Objects of a page of a list at most; the platform gives fewer than were asked for at times. */
const PAGE = 50;

interface Stored {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
  readonly uploadedAtMs: number;
  readonly sha256: string | undefined;
  readonly customMetadata: Record<string, string>;
  readonly httpMetadata: R2HTTPMetadata;
}

type Body = Uint8Array | ArrayBuffer | string | ReadableStream<Uint8Array>;

async function bytesOf(body: Body): Promise<Uint8Array<ArrayBuffer>> {
  if (typeof body === 'string') return new Uint8Array(Buffer.from(body));
  if (body instanceof ReadableStream) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return new Uint8Array(Buffer.concat(chunks));
  }
  return new Uint8Array(body instanceof ArrayBuffer ? body : body.slice());
}

const streamOf = (bytes: Uint8Array) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes.slice());
      controller.close();
    },
  });

function describe(key: string, { bytes, etag, uploadedAtMs, sha256, customMetadata, httpMetadata }: Stored) {
  const checksums = sha256 === undefined ? {} : { sha256: new Uint8Array(Buffer.from(sha256, 'hex')).buffer };
  const times = { uploaded: new Date(uploadedAtMs), version: etag };
  return { key, size: bytes.length, etag, httpEtag: `"${etag}"`, checksums, customMetadata, httpMetadata, ...times };
}

export interface Upload {
  readonly key: string;
  readonly parts: Map<number, Uint8Array<ArrayBuffer>>;
}

/** The objects, which outlive isolates. */
export class Bucket {
  readonly objects = new Map<string, Stored>();
  readonly uploads = new Map<string, Upload>();
  /** Is told of each object that is written or deleted. */
  onChange: (action: 'PutObject' | 'CompleteMultipartUpload' | 'DeleteObject', key: string, size: number) => void = () =>
    undefined;
  #uploadCount = 0;

  put(
    key: string,
    bytes: Uint8Array<ArrayBuffer>,
    nowMs: number,
    options: R2PutOptions = {},
    action: 'PutObject' | 'CompleteMultipartUpload' = 'PutObject',
  ): Stored {
    const { sha256, customMetadata = {}, httpMetadata = {} } = options;
    const hash = sha256 === undefined ? undefined : Buffer.from(sha256 as Uint8Array).toString('hex');
    const etag = createHash('md5').update(bytes).digest('hex');
    const stored = {
      bytes,
      etag,
      uploadedAtMs: nowMs,
      sha256: hash,
      customMetadata,
      httpMetadata: httpMetadata as R2HTTPMetadata,
    };
    this.objects.set(key, stored);
    this.onChange(action, key, bytes.length);
    return stored;
  }

  delete(key: string): void {
    if (this.objects.delete(key)) this.onChange('DeleteObject', key, 0);
  }

  begin(key: string): string {
    this.#uploadCount += 1;
    const id = `upload-${this.#uploadCount}`;
    this.uploads.set(id, { key, parts: new Map() });
    return id;
  }
}

export interface BucketFaults {
  /** Whether conditions of puts are left out. */
  readonly ignoresConditions: boolean;
  /** Prefix of keys that are never deleted. */
  readonly keeps: string | null;
}

/** The binding of an isolate. */
export function r2Binding(bucket: Bucket, caller: Caller, planted: BucketFaults): R2Bucket {
  const call = <T>(name: string, key: string, work: () => Promise<T> | T, special?: () => Promise<T> | T) =>
    caller.call('r2', `R2 ${name} ${folderOf(key)}`, () => new Error(`${name}: ${caller.pick(ERRORS)}`), 1, work, special);
  const withBody = (key: string, stored: Stored, range: R2Range | undefined, isCut: boolean) => {
    const { offset = 0, length = stored.bytes.length - offset } = (range ?? {}) as { offset?: number; length?: number };
    const end = Math.min(stored.bytes.length, offset + length);
    const bytes = stored.bytes.subarray(offset, isCut ? offset + Math.floor(caller.random() * (end - offset)) : end);
    const body = streamOf(bytes);
    return {
      ...describe(key, stored),
      ...(range ? { range: { offset, length: end - offset } } : {}),
      body,
      arrayBuffer: async () => new Uint8Array(bytes).buffer,
      text: async () => new TextDecoder().decode(bytes),
      json: async () => JSON.parse(new TextDecoder().decode(bytes)),
    };
  };
  const get = (key: string, { range }: { range?: R2Range } = {}) => {
    const found = (isCut: boolean) => () => {
      const stored = bucket.objects.get(key);
      if (!stored) return null;
      const { offset = 0 } = (range ?? {}) as { offset?: number };
      if (offset >= stored.bytes.length && offset > 0) throw new Error('get: The requested range is not satisfiable (10039)');
      return withBody(key, stored, range, isCut);
    };
    return call('get', key, found(false), found(true));
  };
  const isWanted = (key: string, { onlyIf }: R2PutOptions) =>
    planted.ignoresConditions || !onlyIf || !('etagDoesNotMatch' in onlyIf) || !bucket.objects.has(key);
  const put = async (key: string, body: Body, options: R2PutOptions = {}) => {
    const bytes = await bytesOf(body);
    const store = () => (isWanted(key, options) ? describe(key, bucket.put(key, bytes, caller.nowMs(), options)) : null);
    // The platform repeats a conditional put whose answer it lost, and the condition no longer holds.
    return call('put', key, store, () => {
      const stored = store();
      return options.onlyIf ? null : stored;
    });
  };
  const list = ({
    prefix = '',
    limit = 1000,
    startAfter = '',
    cursor,
    include = [],
    delimiter,
  }: R2ListOptions & { include?: string[] } = {}) =>
    call('list', prefix, () => {
      const after = cursor ?? startAfter;
      const all = [...bucket.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
      const isBelow = (key: string) => delimiter !== undefined && key.slice(prefix.length).includes(delimiter);
      const folders = new Set(all.filter(isBelow).map((key) => key.slice(0, key.indexOf(delimiter!, prefix.length) + 1)));
      const keys = all.filter((key) => !isBelow(key));
      const page = keys.slice(0, Math.min(limit, PAGE));
      const objects = page.map((key) => {
        const { customMetadata, ...object } = describe(key, bucket.objects.get(key)!);
        return include.includes('customMetadata') ? { ...object, customMetadata } : object;
      });
      const truncated = keys.length > page.length;
      return { objects, truncated, delimitedPrefixes: [...folders], ...(truncated ? { cursor: page.at(-1)! } : {}) };
    });
  const upload = (key: string, uploadId: string) => {
    const found = () => {
      const known = bucket.uploads.get(uploadId);
      if (!known) throw new Error('The specified multipart upload does not exist. (10024)');
      return known;
    };
    return {
      key,
      uploadId,
      uploadPart: async (partNumber: number, body: Body) => {
        const bytes = await bytesOf(body);
        return call('uploadPart', key, () => {
          found().parts.set(partNumber, bytes);
          return { partNumber, etag: createHash('md5').update(bytes).digest('hex') };
        });
      },
      complete: (parts: readonly R2UploadedPart[]) =>
        call('complete', key, () => {
          const { parts: stored } = found();
          const bytes = new Uint8Array(Buffer.concat(parts.map(({ partNumber }) => stored.get(partNumber)!)));
          bucket.uploads.delete(uploadId);
          return describe(key, bucket.put(key, bytes, caller.nowMs(), {}, 'CompleteMultipartUpload'));
        }),
      abort: () => call('abort', key, () => void bucket.uploads.delete(uploadId)),
    };
  };
  return {
    get,
    put,
    list,
    head: (key: string) =>
      call('head', key, () => {
        const stored = bucket.objects.get(key);
        return stored ? describe(key, stored) : null;
      }),
    delete: (keys: string | string[]) =>
      call('delete', [keys].flat()[0] ?? '', () => {
        for (const key of [keys].flat()) if (planted.keeps === null || !key.startsWith(planted.keeps)) bucket.delete(key);
      }),
    createMultipartUpload: (key: string) => call('createMultipart', key, () => upload(key, bucket.begin(key))),
    resumeMultipartUpload: upload,
  } as unknown as R2Bucket;
}

/** The first part of a key, and what a derived object is. */
const folderOf = (key: string): string =>
  key
    .split('/')
    .slice(0, key.startsWith('derived/') ? 2 : 1)
    .join('/');
