// The blog that supplies the news.
import { NEWS } from '../config/limits/sharing.ts';
import type { NewsFeed } from '../domain/sharing/news-feed.ts';
import type { NewsSource } from '../ports/sharing.ts';
import { boundedFetch } from './http/bounded-fetch.ts';
import { readFeed } from './news-xml.ts';

const DECLARED_ENCODING = /^\s*<\?xml[^>]{0,100}encoding=["']([\w-]{1,40})["']/;
/** Bytes that are searched for the XML declaration. */
const DECLARATION_BYTES = 200;

/** Decodes a document by its declared encoding, or as UTF-8 without a known one. */
function decoded(bytes: Uint8Array): string {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, DECLARATION_BYTES));
  try {
    return new TextDecoder(DECLARED_ENCODING.exec(start)?.[1] ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

export class HttpNewsSource implements NewsSource {
  readonly address: string;
  readonly #fetchMs: number;

  constructor(address: string, fetchMs: number = NEWS.fetchMs) {
    this.address = address;
    this.#fetchMs = fetchMs;
  }

  /** @throws UpstreamError for no feed within the timeout, or one over the byte limit */
  async load(): Promise<NewsFeed> {
    const bytes = await boundedFetch(new URL(this.address), {
      signal: AbortSignal.timeout(this.#fetchMs),
      maxBytes: NEWS.feedBytes,
      redirects: NEWS.redirects,
      accept: 'application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1',
    });
    return readFeed(decoded(bytes), this.address);
  }
}
