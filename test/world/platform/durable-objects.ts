// Durable Objects of ids and of JPIP channels, with their storage, which outlives evictions.
import { registerHooks } from 'node:module';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Caller } from '../calls.ts';

const STUB = new URL('./cloudflare-workers.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'cloudflare:workers' ? { url: STUB, shortCircuit: true } : next(specifier, context),
});
const { JpipChannel } = await import('../../../src/faces/jpip/jpip-channel.ts');
const { IdSequence } = await import('../../../src/archive/image-index/id-sequence.ts');

/** Storage by name. */
export type Storages = Map<string, Map<string, unknown>>;

const errorOf = () => Object.assign(new Error('Network connection lost.'), { retryable: true });

/** The binding of an isolate. The object is another one after each call, as after an eviction: it has its storage alone. */
export function idsBinding(storages: Storages, caller: Caller): DurableObjectNamespace {
  const object = (name: string) => {
    const values = storages.get(name) ?? new Map<string, unknown>();
    storages.set(name, values);
    const kv = { get: (key: string) => values.get(key), put: (key: string, value: unknown) => void values.set(key, value) };
    return new IdSequence({ storage: { kv } } as never, {} as never);
  };
  const stub = (name: string) => ({
    next: (count: number) => caller.call('ids', 'ids next', errorOf, 1, () => object(name).next(count)),
    raise: (atLeast: number) => caller.call('ids', 'ids raise', errorOf, 1, () => object(name).raise(atLeast)),
  });
  return { getByName: stub } as unknown as DurableObjectNamespace;
}

/** Part of the calls before which an object is evicted, with what it has in memory. */
const EVICTED = 0.2;

/** The channels of a world by name. */
export class Channels {
  readonly #databases = new Map<string, DatabaseSync>();
  readonly #objects = new Map<string, InstanceType<typeof JpipChannel>>();

  #object(name: string, random: () => number) {
    if (random() < EVICTED) this.#objects.delete(name);
    const known = this.#objects.get(name) ?? this.#made(name);
    this.#objects.set(name, known);
    return known;
  }

  #made(name: string) {
    const database = this.#databases.get(name) ?? new DatabaseSync(':memory:');
    this.#databases.set(name, database);
    const exec = (sql: string, ...values: SQLInputValue[]) => {
      const rows = values.length > 0 || /^\s*select/i.test(sql) ? database.prepare(sql).all(...values) : database.exec(sql);
      return { rowsRead: 1, rowsWritten: 1, toArray: () => rows ?? [] };
    };
    const alarm = { getAlarm: async () => null, setAlarm: async () => undefined, deleteAlarm: async () => undefined };
    const deleteAll = async () => void this.#databases.delete(name);
    return new JpipChannel({ storage: { sql: { exec }, deleteAll, ...alarm } } as never, {} as never);
  }

  /** The binding of an isolate. */
  binding(caller: Caller): DurableObjectNamespace {
    const stub = (name: string) => {
      const call =
        <A extends unknown[], R>(method: string, run: (channel: InstanceType<typeof JpipChannel>, ...given: A) => R) =>
        (...given: A) =>
          caller.call('ids', `channel ${method}`, errorOf, 1, async () =>
            run(this.#object(name, caller.random), ...structuredClone(given)),
          );
      return {
        plan: call('plan', (channel, ...given: Parameters<typeof channel.plan>) => channel.plan(...given)),
        delivered: call('delivered', (channel, ...given: Parameters<typeof channel.delivered>) => channel.delivered(...given)),
        close: call('close', (channel, ...given: Parameters<typeof channel.close>) => channel.close(...given)),
      };
    };
    return { getByName: stub } as unknown as DurableObjectNamespace;
  }
}
