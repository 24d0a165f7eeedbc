import { XMLParser } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { clientGet, getPath } from './web-client.ts';

describe('getNewsFeed', () => {
  it('is Atom with a title, a summary and an address for each entry of the web client', async () => {
    const response = await clientGet('action=getNewsFeed');
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/xml; charset=utf-8']);
    const parser = new XMLParser({ ignoreAttributes: false });
    const { feed } = parser.parse(await response.text()) as { feed: { entry: Record<string, unknown>[] } };
    expect(feed.entry.length).toBeGreaterThan(0);
    for (const { title, summary, link } of feed.entry) {
      expect([title, summary]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w/)]);
      expect(link).toEqual({ '@_href': expect.stringMatching(/^https:\/\//) });
    }
  });

  it('is RSS 2.0 under /v2/', async () => {
    expect(await (await getPath('/v2/getNewsFeed/')).text()).toContain('<rss version="2.0">');
  });
});
