// The services behind the routes.
import type { Limiters } from '../admission/admission.ts';
import type { RateLimitBinding } from '../admission/rate-limit.ts';
import type { Turns } from '../admission/turns.ts';
import type { ServiceSettings } from '../config/settings/service.ts';
import { CATALOGUE, type CachePolicy, GROWING_CATALOGUE, RECENT, SETTLED } from '../http/cache-policy.ts';
import { type Definition, defineOperation, type Operation, type OperationContext } from '../http/operation.ts';
import type { Shape, Values } from '../http/parameters.ts';
import type { Route } from '../http/request.ts';
import { defineResource, type ResourceDefinition } from '../http/resource.ts';
import type { ImageIndex } from '../ports/images.ts';
import type { FoundObjects, ImmutableObjects, IncomingObjects, ObjectStore } from '../ports/objects.ts';
import type { OperationCount } from '../ports/status.ts';
import type { Log } from '../ports/timing.ts';
import type { StateTables } from '../services/bodies/state-tables.ts';
import type { EventService } from '../services/events/event-service.ts';
import type { OutlinePictureService } from '../services/events/outline-pictures.ts';
import type { XrayFlux } from '../services/events/x-ray-flux.ts';
import type { GridCurves } from '../services/grids/grid-curves.ts';
import type { SampleProgressStore } from '../services/images/sample-progress.ts';
import type { JpipServices } from '../services/jpip/response.ts';
import type { JpxParts } from '../services/jpx/jpx-parts.ts';
import type { MapFiles } from '../services/maps/map-files.ts';
import type { MapTiles } from '../services/maps/map-tiles.ts';
import type { Cutouts } from '../services/measurement/cutouts.ts';
import type { ImageArrays } from '../services/measurement/image-arrays.ts';
import type { LightCurves } from '../services/measurement/light-curves.ts';
import type { Plots } from '../services/measurement/plots.ts';
import type { TimeDistance } from '../services/measurement/time-distance.ts';
import type { Measurements } from '../services/measurement/values.ts';
import type { MovieService } from '../services/movies/movie-service.ts';
import type { EclipseService } from '../services/rendering/eclipse.ts';
import type { ImageDownloadService } from '../services/rendering/image-downloads.ts';
import type { MovingFrameService } from '../services/rendering/moving-frames.ts';
import type { ProjectionCheck } from '../services/rendering/projection-check.ts';
import type { ScreenshotService } from '../services/rendering/screenshots.ts';
import type { TileService } from '../services/rendering/tile.ts';
import type { ClientStates } from '../services/sharing/client-states.ts';
import type { NewsService } from '../services/sharing/news-feed.ts';
import type { Sharing } from '../services/sharing/sharing.ts';
import type { ShortLinks } from '../services/sharing/short-links.ts';
import type { HealthCheck } from '../services/status/health.ts';
import type { StatusService } from '../services/status/service-status.ts';
import type { ImageStores } from '../services/zarr/image-stores.ts';
import type { AdminServices } from './internal/admin-scopes.ts';
import type { MovieWorkerServices } from './internal/movie-worker-routes.ts';

/** Services of the routes, made by `src/composition`, and by `testServices` in tests. */
export interface Services extends AdminServices, MovieWorkerServices, Limiters {
  readonly index: ImageIndex;
  readonly objects: ObjectStore & ImmutableObjects & FoundObjects & Pick<IncomingObjects, 'putStream'>;
  readonly sample: SampleProgressStore;
  readonly stateTables: StateTables;
  readonly status: StatusService;
  readonly health: HealthCheck;
  /** Requests of the last minutes by operation; none where they cannot be known. */
  readonly requestCounts: () => Promise<readonly OperationCount[]>;
  readonly projections: ProjectionCheck;
  readonly tiles: TileService;
  readonly frames: MovingFrameService;
  readonly imageDownloads: ImageDownloadService;
  readonly measurements: Measurements;
  readonly imageArrays: ImageArrays;
  readonly lightCurves: LightCurves;
  readonly gridCurves: GridCurves;
  readonly timeDistance: TimeDistance;
  readonly plots: Plots;
  readonly cutouts: Cutouts;
  readonly mapFiles: MapFiles;
  readonly mapTiles: MapTiles;
  readonly imageStores: ImageStores;
  readonly screenshots: ScreenshotService;
  readonly eclipses: EclipseService;
  readonly jpip: JpipServices;
  readonly jpxParts: JpxParts;
  /** Null without MOVIE_TOKEN: movies are disabled. */
  readonly movies: MovieService | null;
  readonly events: EventService;
  readonly xrayFlux: XrayFlux;
  readonly outlinePictures: OutlinePictureService;
  readonly sharing: Sharing;
  readonly links: ShortLinks;
  readonly news: NewsService;
  readonly clientStates: ClientStates;
  /** JPIP has a limit of its own, because it draws nothing and a client sends one request for each frame of a movie. */
  readonly jpipLimiter: RateLimitBinding;
  readonly turns: Pick<Turns, 'serve' | 'turn' | 'change' | 'admit'>;
  readonly assets: { fetch(request: Request): Promise<Response> };
  readonly settings: ServiceSettings;
  /** Receives one record per fault of the service. */
  readonly logFault: Log;
}

export type Context = OperationContext<Services>;
export type ServiceOperation = Operation<Services>;

/** `defineOperation` for these services. */
export function operation<S extends Shape = Record<never, never>, C = Values<S>>(
  definition: Definition<Services, S, C>,
): ServiceOperation {
  return defineOperation(definition);
}

/** `defineResource` for these services. */
export function resource<S extends Shape = Record<never, never>, C = Values<S>>(
  definition: ResourceDefinition<Services, S, C>,
): Route<Context> {
  return defineResource(definition);
}

/** Cache policy of a response whose nearest image no expected delivery changes. */
export const settledPolicy = ({ sample }: Pick<Services, 'sample'>): CachePolicy => (sample.isUnderWay ? RECENT : SETTLED);

export function cataloguePolicy({ sample }: Pick<Services, 'sample'>): CachePolicy {
  return sample.isUnderWay ? GROWING_CATALOGUE : CATALOGUE;
}

/** Services as far as they say under which name they are public. */
interface Named {
  readonly sharing: { readonly settings: Pick<Sharing['settings'], 'publicOrigin'> };
}

/** Whether the service has a public name, which every deployment has and no local service unless its operator gives it one. */
export const isDeployed = ({ sharing }: Named): boolean => Boolean(sharing.settings.publicOrigin);

/** Policy of a response that names the host, which is not in the keys of the edge cache: public only where all hosts have the same name. */
export function namingHost(policy: CachePolicy, { services }: { readonly services: Named }): CachePolicy {
  return isDeployed(services) ? policy : policy.replace(/^public/, 'private');
}

export const serviceOrigin = ({ services, url }: Context): string => services.sharing.settings.publicOrigin ?? url.origin;
