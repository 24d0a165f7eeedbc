// What the operations work with.
import type { Settings } from '../config.ts';
import type { CanonicalValues } from '../http/cache-key.ts';
import type { EdgeCache } from '../http/edge-cache.ts';
import { type Definition, defineOperation, type Operation, type OperationContext } from '../http/operation.ts';
import type { Shape } from '../http/parameters.ts';
import type { Clock, ImageIndex, ImmutableObjects, ObjectStore } from '../ports.ts';
import type { EclipseService } from '../services/eclipse.ts';
import type { EventService } from '../services/events.ts';
import type { ImageDownloadService } from '../services/image-downloads.ts';
import type { MovieService } from '../services/movies.ts';
import type { NewsService } from '../services/news-feed.ts';
import type { ScreenshotService } from '../services/screenshots.ts';
import type { Sharing } from '../services/sharing.ts';
import type { ShortLinks } from '../services/short-links.ts';
import type { TileService } from '../services/tile.ts';

export interface Services {
  readonly index: ImageIndex;
  readonly objects: ObjectStore & Pick<ImmutableObjects, 'create'>;
  readonly tiles: TileService;
  readonly imageDownloads: ImageDownloadService;
  readonly screenshots: ScreenshotService;
  readonly eclipses: EclipseService;
  /** Unset: no movies are made. */
  readonly movies?: MovieService | undefined;
  readonly events: EventService;
  /** Unset: nothing is shared. */
  readonly sharing?: Pick<Sharing, 'settings' | 'userVideos' | 'videoSharing'>;
  /** Unset: nothing is shortened. */
  readonly links?: ShortLinks;
  readonly news: NewsService;
  readonly edgeCache: EdgeCache;
  readonly clock: Clock;
  readonly settings: Settings;
}

export type Context = OperationContext<Services>;
export type ServiceOperation = Operation<Services>;

/** `defineOperation` for these services. */
export function operation<S extends Shape, C extends CanonicalValues>(definition: Definition<Services, S, C>): ServiceOperation {
  return defineOperation(definition);
}
