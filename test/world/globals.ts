// What the runtime gives to all code, in a world: clock, timers, randomness, cryptography and fetch, without threads and without sockets.
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Scheduler, Timer } from './scheduler.ts';

type Bytes = Uint8Array<ArrayBuffer>;
interface Key {
  readonly secret: Bytes;
}

const bytesOf = (data: BufferSource): Bytes =>
  data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
const bufferOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;
const TAG_BYTES = 16;

/** The algorithms that the service uses, which the runtime would run in threads. */
const subtle = {
  digest: async (_name: string, data: BufferSource) => bufferOf(createHash('sha256').update(bytesOf(data)).digest()),
  importKey: async (_format: string, secret: BufferSource): Promise<Key> => ({ secret: bytesOf(secret).slice() }),
  sign: async (_name: string, { secret }: Key, data: BufferSource) =>
    bufferOf(createHmac('sha256', secret).update(bytesOf(data)).digest()),
  deriveKey: async ({ salt, info }: { salt: BufferSource; info: BufferSource }, { secret }: Key): Promise<Key> => ({
    secret: new Uint8Array(hkdfSync('sha256', secret, bytesOf(salt), bytesOf(info), 32)),
  }),
  encrypt: async (
    { iv, additionalData }: { iv: BufferSource; additionalData: BufferSource },
    { secret }: Key,
    data: BufferSource,
  ) => {
    const cipher = createCipheriv('aes-256-gcm', secret, bytesOf(iv)).setAAD(bytesOf(additionalData));
    return bufferOf(Buffer.concat([cipher.update(bytesOf(data)), cipher.final(), cipher.getAuthTag()]));
  },
  decrypt: async (
    { iv, additionalData }: { iv: BufferSource; additionalData: BufferSource },
    { secret }: Key,
    data: BufferSource,
  ) => {
    const [sealed, end] = [bytesOf(data), data.byteLength - TAG_BYTES];
    const cipher = createDecipheriv('aes-256-gcm', secret, bytesOf(iv)).setAAD(bytesOf(additionalData));
    cipher.setAuthTag(sealed.subarray(end));
    return bufferOf(Buffer.concat([cipher.update(sealed.subarray(0, end)), cipher.final()]));
  },
};

const randomBytesOf =
  (random: () => number) =>
  <T extends ArrayBufferView>(view: T): T => {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    for (let i = 0; i < bytes.length; i += 1) bytes[i] = Math.floor(random() * 256);
    return view;
  };

function cryptoOf(random: () => number) {
  const getRandomValues = randomBytesOf(random);
  const randomUUID = () => {
    const hex = Buffer.from(getRandomValues(new Uint8Array(16))).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
  return { subtle, getRandomValues, randomUUID };
}

/** Compresses at the end, in this thread. */
class Compression {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;

  constructor() {
    const chunks: Uint8Array[] = [];
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk) => void chunks.push(chunk),
      flush: (controller) => controller.enqueue(gzipSync(Buffer.concat(chunks))),
    });
    [this.readable, this.writable] = [readable, writable];
  }
}

class WorldTimer {
  timer: Timer | null = null;
  unref = () => this;
  ref = () => this;
}

interface Replaced {
  readonly scheduler: Scheduler;
  /** Another sequence of numbers than that of the scheduler. */
  readonly random: () => number;
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  readonly log: (line: string) => void;
}

/** Replaces the global objects until the returned function is called. */
export function replaceGlobals({ scheduler, random, fetch, log }: Replaced): () => void {
  const startMs = scheduler.nowMs;
  const setTimeout = (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) => {
    const handle = new WorldTimer();
    handle.timer = scheduler.at(scheduler.nowMs + Math.max(0, ms), 'timer', () => run(...given));
    return handle;
  };
  const clearTimeout = (handle?: WorldTimer) => void (handle?.timer && scheduler.cancel(handle.timer));
  const setInterval = (run: () => void, ms: number) => {
    const handle = new WorldTimer();
    const next = () => {
      handle.timer = scheduler.at(scheduler.nowMs + ms, 'interval', () => {
        next();
        run();
      });
    };
    next();
    return handle;
  };
  const timeout = (ms: number) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')), ms);
    return controller.signal;
  };
  const line = (...values: unknown[]) => log(values.map(String).join(' '));
  const changes: readonly [object, Readonly<Record<string, unknown>>][] = [
    [globalThis, { setTimeout, clearTimeout, setInterval, clearInterval: clearTimeout, fetch, crypto: cryptoOf(random) }],
    [globalThis, { CompressionStream: Compression }],
    [Date, { now: () => scheduler.nowMs }],
    [performance, { now: () => scheduler.nowMs - startMs }],
    [Math, { random }],
    [AbortSignal, { timeout }],
    [console, { log: line, error: line, warn: line }],
  ];
  const before = changes.flatMap(([target, values]) =>
    Object.entries(values).map(([name, value]) => {
      const descriptor = Object.getOwnPropertyDescriptor(target, name);
      Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable: true });
      return () => {
        if (descriptor) Object.defineProperty(target, name, descriptor);
        else Reflect.deleteProperty(target, name);
      };
    }),
  );
  return () => {
    for (const restore of before) restore();
  };
}
