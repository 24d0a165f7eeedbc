// A news feed, whatever it was written in: text alone, and addresses that a link may have.

export interface NewsItem {
  readonly title: string;
  readonly link: string | null;
  readonly description: string;
  readonly publishedAtMs: number | null;
}

export interface NewsFeed {
  readonly title: string;
  readonly link: string;
  readonly description: string;
  /** Newest first, as feeds are written. */
  readonly items: readonly NewsItem[];
}

/** What is taken of a feed: the client shows three items. */
export const FEED_BOUNDS = {
  items: 20,
  titleCharacters: 300,
  descriptionCharacters: 2_000,
  linkCharacters: 2_000,
  /** Characters of a text before its markup is taken off: whole articles stand in some feeds. */
  markupCharacters: 50_000,
} as const;
