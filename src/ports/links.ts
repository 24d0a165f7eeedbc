// The roles of short links and of the news feed.
import type { NewsFeed } from '../domain/news/feed.ts';

/** Keeps addresses by their keys. */
export interface LinkRegister {
  /** Keeps the address unless the key is taken; gives the address that the key has now, and whether it is new. */
  add(key: string, address: string, atMs: number): Promise<{ readonly address: string; readonly isNew: boolean }>;
  find(key: string): Promise<string | null>;
}

export interface ExternalLink {
  /** The short link. */
  readonly address: string;
  /** Its last part. */
  readonly hash: string;
  readonly isNew: boolean;
}

/** A service that makes short links. */
export interface UrlShortener {
  /** @throws Error when it does not answer well in time */
  shorten(address: string): Promise<ExternalLink>;
}

/** Where news come from. */
export interface NewsSource {
  /** Tells sources apart. */
  readonly address: string;
  /** @throws Error when it does not answer well in time */
  load(): Promise<NewsFeed>;
}
