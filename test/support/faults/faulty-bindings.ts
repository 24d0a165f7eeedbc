// Bindings of the Worker with faults, whose errors have the texts of the platform: D1 ("Debug D1", list of errors), R2 ("Error codes"),
// Durable Objects ("Error handling") and Queues.
import type { Env } from '../../../src/env.ts';
import type { SeededFaults } from './seeded-faults.ts';

const D1_ERRORS = [
  'D1_ERROR: Network connection lost.',
  'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.',
  'D1_ERROR: Internal error in D1 DB storage caused object to be reset.',
  'D1_ERROR: D1 DB is overloaded. Requests queued for too long.',
  'D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.',
];
const R2_ERRORS = [
  'We encountered an internal error. Please try again. (10001)',
  'Please look at https://www.cloudflarestatus.com for issues or contact customer support. (10043)',
  'Reduce your concurrent request rate for the same object. (10058)',
];
const CONNECTION_LOST = 'Network connection lost.';

type Method = (...values: unknown[]) => Promise<unknown>;

/** A method of a target, bound to it. */
function bound(target: object, member: string | symbol): unknown {
  const value: unknown = Reflect.get(target, member);
  return typeof value === 'function' ? (...values: unknown[]) => Reflect.apply(value, target, values) : value;
}

function faultyD1(database: D1Database, name: string, faults: SeededFaults): D1Database {
  const originals = new WeakMap<object, D1PreparedStatement>();
  const run = <T>(operation: string, work: () => Promise<T>) =>
    faults.call(`${name} ${operation}`, work, () => new Error(faults.pick(D1_ERRORS)));

  function statement(original: D1PreparedStatement): D1PreparedStatement {
    const proxy = new Proxy(original, {
      get(target, member) {
        if (member === 'bind') return (...values: unknown[]) => statement(target.bind(...values));
        const method = bound(target, member);
        return typeof method === 'function'
          ? (...values: unknown[]) => run('statement', () => (method as Method)(...values))
          : method;
      },
    });
    originals.set(proxy, original);
    return proxy;
  }

  function faulty<T extends D1Database | D1DatabaseSession>(original: T): T {
    return new Proxy(original, {
      get(target, member) {
        if (member === 'prepare') return (query: string) => statement(target.prepare(query));
        if (member === 'batch') {
          return (batch: D1PreparedStatement[]) =>
            run('batch', () => target.batch(batch.map((each) => originals.get(each) ?? each)));
        }
        const method = bound(target, member);
        if (member !== 'withSession') return method;
        return (...values: unknown[]) => faulty((method as (...values: unknown[]) => D1DatabaseSession)(...values));
      },
    });
  }

  return faulty(database);
}

/** The body of an object that ends early; `breaks`: with an error, as a lost connection does. */
function cut({ body }: R2ObjectBody, bytes: number, breaks: boolean): ReadableStream<Uint8Array> {
  let left = bytes;
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (!done && value.length <= left) {
        left -= value.length;
        return controller.enqueue(value);
      }
      if (!done && left > 0) controller.enqueue(value.subarray(0, left));
      await reader.cancel();
      if (breaks) controller.error(new Error(CONNECTION_LOST));
      else controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** An object whose body ends early, in both forms in which the service reads it. */
function cutObject(object: R2ObjectBody, faults: SeededFaults): R2ObjectBody {
  const breaks = faults.random() < 0.5;
  const whole = object.range && 'length' in object.range ? (object.range.length ?? object.size) : object.size;
  const bytes = Math.floor(faults.random() * whole);
  return new Proxy(object, {
    get(target, member) {
      if (member === 'body') return cut(target, bytes, breaks);
      if (member === 'arrayBuffer') return () => new Response(cut(target, bytes, breaks)).arrayBuffer();
      return bound(target, member);
    },
  });
}

function faultyR2(bucket: R2Bucket, faults: SeededFaults): R2Bucket {
  const run = <T>(operation: string, work: () => Promise<T>, special?: () => Promise<T>) =>
    faults.call(`R2 ${operation}`, work, () => new Error(`${operation}: ${faults.pick(R2_ERRORS)}`), special);
  /** Faults of a special kind, by operation. */
  const specials: Readonly<Record<string, (work: Method, values: readonly unknown[]) => Promise<unknown>>> = {
    get: async (work, values) => {
      const object = (await work(...values)) as R2ObjectBody | null;
      return object && cutObject(object, faults);
    },
    // The platform repeats a conditional put whose answer it lost, and the condition no longer holds.
    put: async (work, values) => {
      const stored = await work(...values);
      return (values[2] as R2PutOptions | undefined)?.onlyIf ? null : stored;
    },
  };
  const upload = (original: R2MultipartUpload): R2MultipartUpload =>
    new Proxy(original, {
      get(target, member) {
        const method = bound(target, member);
        if (typeof method !== 'function') return method;
        return (...values: unknown[]) => run(String(member), () => (method as Method)(...values));
      },
    });
  return new Proxy(bucket, {
    get(target, member) {
      const method = bound(target, member);
      if (typeof method !== 'function') return method;
      if (member === 'resumeMultipartUpload') {
        return (...values: unknown[]) => upload((method as (...values: unknown[]) => R2MultipartUpload)(...values));
      }
      const special = specials[String(member)];
      return async (...values: unknown[]) => {
        const work = () => (method as Method)(...values);
        const result = await run(String(member), work, special && (() => special(method as Method, values)));
        return member === 'createMultipartUpload' ? upload(result as R2MultipartUpload) : result;
      };
    },
  });
}

function faultyObjects(namespace: DurableObjectNamespace, name: string, faults: SeededFaults): DurableObjectNamespace {
  const errorOf = () => Object.assign(new Error(CONNECTION_LOST), { retryable: true });
  return new Proxy(namespace, {
    get(target, member) {
      if (member !== 'get') return bound(target, member);
      return (id: DurableObjectId) => {
        const stub = target.get(id) as unknown as Record<string, Method>;
        return new Proxy(stub, {
          get:
            (_, method) =>
            (...values: unknown[]) =>
              faults.call(`${name} ${String(method)}`, async () => stub[String(method)]!(...values), errorOf),
        });
      };
    },
  });
}

/** A queue whose messages go to `deliver`. */
function faultyQueue(faults: SeededFaults, deliver: (body: unknown) => void): Queue {
  const send = async (body: unknown) => {
    const work = async () => deliver(body);
    const isLost = async () => undefined;
    await faults.call('queue send', work, () => new Error('Queue send failed: Internal Server Error'), isLost);
  };
  const sendBatch = async (messages: Iterable<MessageSendRequest>) => {
    for (const { body } of messages) await send(body);
  };
  return { send, sendBatch } as unknown as Queue;
}

/** The bindings with faults while `faults` are active; messages of the queue of movies go to `deliver`. */
export function withFaults<E extends Env & { readonly IMAGES_ODD: D1Database }>(
  env: E,
  faults: SeededFaults,
  deliver: (body: unknown) => void,
): E {
  return {
    ...env,
    DB: faultyD1(env.DB, 'DB', faults),
    OPERATIONS: faultyD1(env.OPERATIONS, 'OPERATIONS', faults),
    IMAGES: faultyD1(env.IMAGES, 'IMAGES', faults),
    IMAGES_ODD: faultyD1(env.IMAGES_ODD, 'IMAGES_ODD', faults),
    ARCHIVE: faultyR2(env.ARCHIVE, faults),
    JOBS: faultyQueue(faults, deliver),
    ID_SEQUENCES: faultyObjects(env.ID_SEQUENCES, 'ids', faults),
    JPIP_CHANNELS: faultyObjects(env.JPIP_CHANNELS, 'channels', faults),
  };
}
