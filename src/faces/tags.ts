// Groups of operations, in the order of the documentation.
import type { Tag } from '../platform/http/openapi/api-document.ts';

export const TAGS: readonly Tag[] = [
  { name: 'Catalogue', description: 'The datasources, the times for which they have images, and how far they are behind.' },
  {
    name: 'Images',
    description:
      'Images of one datasource: their records, files, headers, tiles and pictures. An image has an id, which getClosestImage gives.',
  },
  { name: 'Measurements', description: 'Physical values of images, with their intervals, or the reason why there are none.' },
  { name: 'JPX', description: 'Movies of unchanged JPEG 2000 frames in one file, also over JPIP.' },
  { name: 'Screenshots', description: 'Pictures of several layers with events, scale and watermark.' },
  {
    name: 'Movies',
    description: 'Movies of several layers. A movie is queued, its status polled, and then downloaded or played.',
  },
  { name: 'Events', description: 'Features and events of the Sun from HEK, CCMC, RHESSI and WSA.' },
  { name: 'Celestial bodies', description: 'Planets and probes near the Sun, as an observer sees them.' },
  { name: 'Links and news', description: 'Short links to pages of this service, and its news.' },
  { name: 'Web client', description: 'Operations that the web client of helioviewer.org needs besides the others.' },
  { name: 'Video host', description: 'Sharing of finished movies with a video host, and the list of shared ones.' },
];
