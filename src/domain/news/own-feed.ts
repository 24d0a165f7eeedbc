// The news that come with the service, for those who run it without a blog of their own.
import type { NewsFeed } from './feed.ts';

/** `origin`: where the service is. */
export function ownFeed(origin: string): NewsFeed {
  return {
    title: 'helioedge',
    link: `${origin}/`,
    description: 'News of this solar imagery service.',
    items: [
      {
        title: 'Events of the Sun on pictures and movies',
        link: `${origin}/v2/openapi.json`,
        description:
          'Active regions, flares, coronal holes and mass ejections can be marked on screenshots and movies: choose them with the parameter events, and label them with eventLabels.',
        publishedAtMs: null,
      },
      {
        title: 'What this service is',
        link: `${origin}/`,
        description:
          'helioedge serves images of the Sun and its surroundings from space and ground observatories: as tiles, pictures, JPEG 2000 files and movies, through the interface that Helioviewer clients speak. Whoever runs it can put the news of a blog here with the setting NEWS_FEED_URL.',
        publishedAtMs: null,
      },
    ],
  };
}
