// Durable Objects of ids: one at a time for each name, with their storage, which outlives evictions.
import { registerHooks } from 'node:module';
import type { Caller } from '../calls.ts';

const STUB = new URL('./cloudflare-workers.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'cloudflare:workers' ? { url: STUB, shortCircuit: true } : next(specifier, context),
});
const { IdSequence } = await import('../../../src/storage/images/id-sequence.ts');

/** Storage by name. */
export type Storages = Map<string, Map<string, unknown>>;

/** The binding of an isolate. The object is another one after each call, as after an eviction: it has its storage alone. */
export function idsBinding(storages: Storages, caller: Caller): DurableObjectNamespace {
  const errorOf = () => Object.assign(new Error('Network connection lost.'), { retryable: true });
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
  return { idFromName: (name: string) => name, get: stub } as unknown as DurableObjectNamespace;
}
