// The entry points of the Worker against wrangler.toml, which gives those that it does not name the cache.
import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import * as deployed from '../../src/worker/index.ts';
import * as local from '../../src/worker/local.ts';
import toml from '../../wrangler.toml?raw';

/** Kind of each exported entry point, as wrangler.toml has it. */
const kindsOf = (entries: object) =>
  Object.fromEntries(
    Object.entries(entries).flatMap(([name, value]) => {
      if (name === 'default') return [[name, 'worker']];
      if (typeof value !== 'function') return [];
      if (value.prototype instanceof WorkerEntrypoint) return [[name, 'worker']];
      return value.prototype instanceof DurableObject ? [[name, 'durable-object']] : [];
    }),
  );

const named = [...toml.matchAll(/^\[exports\.(\w+)\]\ntype = "([\w-]+)"\n(?:cache = \{ enabled = (\w+) \})?/gm)];

describe('the entry points of the Worker', () => {
  it('match the names in wrangler.toml one by one, here and in a deployment', () => {
    const kinds = Object.fromEntries(named.map(([, name, kind]) => [name, kind]));
    expect(kindsOf(deployed)).toEqual(kinds);
    expect(kindsOf(local)).toEqual(kinds);
  });

  it('leave the cache to the service alone, because it makes whole files of the ranges that movie workers read', () => {
    const cached = named.flatMap(([, name, kind, isCached]) => (kind === 'worker' ? [[name, isCached]] : []));
    const expected = { default: 'false', CachedService: 'true', ContainerProxy: 'false', JpxCalls: 'false' };
    expect(Object.fromEntries(cached)).toEqual(expected);
  });
});

const purge = (cache: object | undefined) =>
  deployed.CachedService.prototype.purge.call({ ctx: { cache } } as never, { tags: ['image-1'] });

it('a purge reports false where the entry point has no cache, or the platform says nothing', async () => {
  expect(await purge(undefined)).toBe(false);
  expect(await purge({ purge: async () => undefined })).toBe(false);
  expect(await purge({ purge: async () => ({ success: true }) })).toBe(true);
});
