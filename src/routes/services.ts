// The services behind the operations.
import type { ServiceSettings } from '../config/settings/service.ts';
import { CATALOGUE, type CachePolicy, GROWING_CATALOGUE, RECENT, SETTLED } from '../http/cache-policy.ts';
import type { EdgeCache } from '../http/edge-cache.ts';
import { type Definition, defineOperation, type Operation, type OperationContext } from '../http/operation.ts';
import type { Shape } from '../http/parameters.ts';
import type { ImageIndex } from '../ports/images.ts';
import type { ImmutableObjects, ObjectStore } from '../ports/objects.ts';
import type { RateLimitBinding } from '../ports/rate-limit.ts';
import type { Clock } from '../ports/timing.ts';
import type { StateTables } from '../services/bodies/state-tables.ts';
import type { EventService } from '../services/events/event-service.ts';
import type { OutlinePictureService } from '../services/events/outline-pictures.ts';
import type { SampleProgressStore } from '../services/images/sample-progress.ts';
import type { JpxBudget } from '../services/jpx/jpx-budget.ts';
import type { MovieService } from '../services/movies/movies.ts';
import type { EclipseService } from '../services/rendering/eclipse.ts';
import type { ImageDownloadService } from '../services/rendering/image-downloads.ts';
import type { ScreenshotService } from '../services/rendering/screenshots.ts';
import type { TileService } from '../services/rendering/tile.ts';
import type { ClientStates } from '../services/sharing/client-states.ts';
import type { NewsService } from '../services/sharing/news-feed.ts';
import type { Sharing } from '../services/sharing/sharing.ts';
import type { ShortLinks } from '../services/sharing/short-links.ts';
import type { StatusService } from '../services/status/service-status.ts';

export interface Services {
  readonly index: ImageIndex;
  readonly objects: ObjectStore & Pick<ImmutableObjects, 'create'>;
  readonly sample: SampleProgressStore;
  readonly stateTables: StateTables;
  /** Unset: the status is that of the images alone. */
  readonly status?: StatusService | undefined;
  readonly tiles: TileService;
  readonly imageDownloads: ImageDownloadService;
  readonly screenshots: ScreenshotService;
  readonly eclipses: EclipseService;
  /** Unset: records of JPX files are not limited. */
  readonly jpxBudget?: JpxBudget;
  /** Unset: movies are disabled. */
  readonly movies?: MovieService | undefined;
  readonly events: EventService;
  readonly outlinePictures: OutlinePictureService;
  /** Unset: sharing is disabled. */
  readonly sharing?: Pick<Sharing, 'settings' | 'userVideos' | 'videoSharing'>;
  /** Unset: addresses are returned unshortened. */
  readonly links?: ShortLinks;
  readonly news: NewsService;
  /** Unset: views of the web client cannot be shared. */
  readonly clientStates?: ClientStates;
  /** Local stand-in of the edge cache. Unset: responses are cached before the service. */
  readonly edgeCache?: EdgeCache | undefined;
  /** Counts units of cost for each client, of pictures and of long lists. */
  readonly pictureLimiter?: RateLimitBinding;
  readonly clock: Clock;
  readonly settings: ServiceSettings;
}

export type Context = OperationContext<Services>;
export type ServiceOperation = Operation<Services>;

/** `defineOperation` for these services. */
export function operation<S extends Shape, C>(definition: Definition<Services, S, C>): ServiceOperation {
  return defineOperation(definition);
}

/** Cache policy of a response whose nearest image no expected delivery changes. */
export function settledPolicy({ sample }: Pick<Services, 'sample'>): CachePolicy {
  return sample.isUnderWay ? RECENT : SETTLED;
}

/** The cache policy of the catalogue and the status. */
export function cataloguePolicy({ sample }: Pick<Services, 'sample'>): CachePolicy {
  return sample.isUnderWay ? GROWING_CATALOGUE : CATALOGUE;
}

interface OwnName {
  readonly sharing?: { readonly settings: { readonly publicOrigin: string | null } };
}

/**
 * Policy of a response that names the host. The edge cache has no host in its keys, so the response is public only where all hosts
 * are given the same name.
 */
export function namingHost(policy: CachePolicy, { services }: { readonly services: OwnName }): CachePolicy {
  return services.sharing?.settings.publicOrigin ? policy : policy.replace(/^public/, 'private');
}

/** Public origin of this service, as browsers address it. */
export function serviceOrigin({ services, url }: Context): string {
  return services.sharing?.settings.publicOrigin ?? url.origin;
}
