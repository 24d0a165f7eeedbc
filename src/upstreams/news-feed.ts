// The blog whose news are shown.
import { NEWS } from '../config/limits/sharing.ts';
import type { NewsFeed } from '../domain/news/feed.ts';
import type { NewsSource } from '../ports/links.ts';
import { boundedFetch } from './http/bounded-fetch.ts';
import { readFeed } from './news-xml.ts';

const DECLARED_ENCODING = /^\s*<\?xml[^>]{0,100}encoding=["']([\w-]{1,40})["']/;
/** Enough of a document to find out what it is written in. */
const DECLARATION_BYTES = 200;

/** Text in the encoding that the document declares; UTF-8 where it declares none that we know. */
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

  /** @throws UpstreamError when there is no feed in time, or too much of one */
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
