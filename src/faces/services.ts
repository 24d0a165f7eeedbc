// The services behind the routes.
import type { EclipseService } from '../archive/drawing/eclipse.ts';
import type { ImageDownloadService } from '../archive/drawing/image-downloads.ts';
import type { MovingFrameService } from '../archive/drawing/moving-frames.ts';
import type { ProjectionCheck } from '../archive/drawing/projection-check.ts';
import type { TileService } from '../archive/drawing/tile.ts';
import type { ImageIndex } from '../archive/ports.ts';
import type { SampleProgressStore } from '../archive/sample-progress.ts';
import type { StateTables } from '../archive/state-tables.ts';
import type { EventService } from '../events/event-service.ts';
import type { OutlinePictureService } from '../events/outline-pictures.ts';
import type { XrayFlux } from '../events/x-ray-flux.ts';
import type { Cutouts } from '../measure/cutouts.ts';
import type { GridCurves } from '../measure/grids/grid-curves.ts';
import type { ImageArrays } from '../measure/image-arrays.ts';
import type { LightCurves } from '../measure/light-curves.ts';
import type { MapFiles } from '../measure/maps/map-files.ts';
import type { MapTiles } from '../measure/maps/map-tiles.ts';
import type { Plots } from '../measure/plots.ts';
import type { TimeDistance } from '../measure/time-distance.ts';
import type { Measurements } from '../measure/values.ts';
import type { MovieService } from '../movies/movie-service.ts';
import type { MovieWorkerServices } from '../movies/worker-routes.ts';
import type { AdminServices, HealthCheck, OperationCount, StatusService } from '../operator/index.ts';
import type { Limiters } from '../platform/admission/admission.ts';
import type { RateLimitBinding } from '../platform/admission/rate-limit.ts';
import type { Turns } from '../platform/admission/turns.ts';
import { CATALOGUE, type CachePolicy, GROWING_CATALOGUE, RECENT, SETTLED } from '../platform/http/cache-policy.ts';
import { type Definition, defineOperation, type Operation, type OperationContext } from '../platform/http/operation.ts';
import type { Shape, Values } from '../platform/http/parameters.ts';
import type { Route } from '../platform/http/request.ts';
import { defineResource, type ResourceDefinition } from '../platform/http/resource.ts';
import type { FoundObjects, ImmutableObjects, IncomingObjects, ObjectStore } from '../platform/ports/objects.ts';
import type { Log } from '../platform/ports/timing.ts';
import type { ServiceSettings } from '../platform/settings/service.ts';
import type { ClientStates } from '../sharing/client-states.ts';
import type { NewsService } from '../sharing/news/news-service.ts';
import type { ScreenshotService } from '../sharing/screenshots.ts';
import type { ShortLinks } from '../sharing/short-links.ts';
import type { Sharing } from '../sharing/videos/sharing.ts';
import type { JpipServices } from './jpip/response.ts';
import type { JpxParts } from './jpx/jpx-parts.ts';
import type { ImageStores } from './zarr/image-stores.ts';

/** Services of the routes, made by `src/worker`, and by `testServices` in tests. */
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
