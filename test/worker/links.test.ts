import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { NewsService } from '../../src/services/sharing/news-feed.ts';
import { ShortLinks } from '../../src/services/sharing/short-links.ts';
import { databasesFrom } from '../../src/storage/databases.ts';
import { R2ObjectStore } from '../../src/storage/r2-object-store.ts';
import { D1Links } from '../../src/storage/sharing/d1-links.ts';
import { readFeed } from '../../src/upstreams/news-feed.ts';
import { budgetsIn } from '../support/memory/budgets.ts';
import { RSS } from '../support/sharing/feeds.ts';

const OWN = 'https://sun.example';
const register = () => new D1Links(databasesFrom(env));

function links() {
  const clock = () => Date.now();
  return new ShortLinks({
    register: register(),
    shortener: null,
    settings: { origins: [] },
    budgets: budgetsIn(databasesFrom(env), { clock }),
    clock,
    log: () => undefined,
  });
}

describe('short links in D1', () => {
  it('resolve to their page', async () => {
    const { hash, url } = await links().shorten('?date=2024-05-10T12:00:00Z', OWN, 'local');
    expect(url).toBe(`${OWN}/v2/goto/?id=${hash}`);
    expect(await links().target(hash, OWN)).toBe(`${OWN}/?date=2024-05-10T12:00:00Z`);
  });

  it('share one row per address among concurrent requests', async () => {
    const shortened = await Promise.all(Array.from({ length: 6 }, () => links().shorten('?date=1', OWN, 'local')));
    expect(shortened.filter(({ new_hash }) => new_hash === 1)).toHaveLength(1);
    const { results } = await env.DB.prepare('SELECT key FROM short_links').all();
    expect(results).toEqual([{ key: shortened[0]!.hash }]);
  });
});

describe('the news feed in workerd', () => {
  it('stays in R2 for all isolates', async () => {
    const objects = new R2ObjectStore(env.ARCHIVE);
    let loads = 0;
    const source = {
      address: 'https://blog.example/feed',
      load: async () => {
        loads += 1;
        return readFeed(RSS, 'https://blog.example/feed');
      },
    };
    const isolate = () => new NewsService({ source, objects, clock: () => Date.now() });
    const work: Promise<unknown>[] = [];
    const first = await isolate().news(OWN, (upload) => work.push(upload));
    await Promise.all(work);
    const second = await isolate().news(OWN, () => undefined);
    expect([second.feed, loads]).toEqual([first.feed, 1]);
  });
});
