import { XMLParser } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { clientGet, getPath } from './web-client.ts';

describe('getNewsFeed', () => {
  it('returns Atom with a title, a summary, an address and a date for each entry of the web client', async () => {
    const response = await clientGet('action=getNewsFeed');
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/xml; charset=utf-8']);
    const parser = new XMLParser({ ignoreAttributes: false });
    const { feed } = parser.parse(await response.text()) as { feed: { entry: Record<string, unknown>[] } };
    expect(feed.entry.length).toBeGreaterThan(0);
    for (const { title, summary, link, published } of feed.entry) {
      expect([title, summary]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w/)]);
      expect(link).toEqual({ '@_href': expect.stringMatching(/^https:\/\//) });
      // The client cuts the date at the plus sign and reads the rest as a time.
      expect(Date.parse(String(published).split('+')[0]!.replace('T', ' '))).toBeGreaterThan(Date.UTC(2020, 0));
    }
  });

  it('returns RSS 2.0 under /v2/', async () => {
    expect(await (await getPath('/v2/getNewsFeed/')).text()).toContain('<rss version="2.0">');
  });
});
