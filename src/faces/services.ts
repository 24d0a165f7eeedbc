// What the faces share: the services and the context of a request, operations and resources, ids as texts, addresses of nothing, and failures in forms of their own.
import type { EclipseService } from '../archive/drawing/eclipse.ts';
import type { ImageDownloadService } from '../archive/drawing/image-downloads.ts';
import type { MovingFrameService } from '../archive/drawing/moving-frames.ts';
import type { ProjectionCheck } from '../archive/drawing/projection-check.ts';
import type { TileService } from '../archive/drawing/tile.ts';
import type { EventService } from '../events/event-service.ts';
import type { XrayFlux } from '../events/x-ray-flux.ts';
import type { Cutouts } from '../measure/cutouts.ts';
import type { ImageArrays } from '../measure/image-arrays.ts';
import type { LightCurves } from '../measure/light-curves.ts';
import type { MapFiles } from '../measure/maps/map-files.ts';
import type { Plots } from '../measure/plots.ts';
import type { TimeDistance } from '../measure/time-distance.ts';
import type { Measurements } from '../measure/values.ts';
import type { MovieService } from '../movies/movie-service.ts';
import type { MovieWorkerServices } from '../movies/worker-routes.ts';
import type { AdminServices, HealthCheck, OperationCount, StatusService } from '../operator/index.ts';
import type { Limiters } from '../platform/admission/admission.ts';
import type { RateLimitBinding } from '../platform/admission/rate-limit.ts';
import type { Turns } from '../platform/admission/turns.ts';
import { statusOf, toldFailure } from '../platform/http/errors.ts';
import { htmlReply } from '../platform/http/html.ts';
import { type Operation, type OperationContext, operationsOf, resourcesOf } from '../platform/http/operation.ts';
import type { CachePolicy, Representation, RepresentationFacts } from '../platform/http/response.ts';
import { CATALOGUE, GROWING_CATALOGUE, NO_STORE, RECENT, SETTLED, textReply } from '../platform/http/response.ts';
import { SETTLED_AFTER_MS } from '../platform/limits/images.ts';
import type { Log } from '../platform/ports/timing.ts';
import type { ServiceSettings } from '../platform/settings/service.ts';
import type { FoundObjects, ImmutableObjects, ObjectStore } from '../platform/storage/r2-object-store.ts';
import type { Failure } from '../platform/util/errors.ts';
import { escapeHtml } from '../platform/util/markup.ts';
import type { ClientStates } from '../sharing/client-states.ts';
import type { NewsService } from '../sharing/news/news-service.ts';
import type { ScreenshotService } from '../sharing/screenshots.ts';
import type { ShortLinks } from '../sharing/short-links.ts';
import type { Sharing } from '../sharing/videos/sharing.ts';
import type { JpipServices } from './jpip/response.ts';
import type { ImageStores } from './zarr/image-stores.ts';

/** Services of the routes, made by `src/worker`, and by `testServices` in tests. */
export interface Services extends AdminServices, MovieWorkerServices, Limiters {
  readonly objects: ObjectStore & ImmutableObjects & FoundObjects;
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
  readonly timeDistance: TimeDistance;
  readonly plots: Plots;
  readonly cutouts: Cutouts;
  readonly mapFiles: MapFiles;
  readonly imageStores: ImageStores;
  readonly screenshots: ScreenshotService;
  readonly eclipses: EclipseService;
  readonly jpip: JpipServices;
  /** Null without MOVIE_TOKEN: movies are disabled. */
  readonly movies: MovieService | null;
  readonly events: EventService;
  readonly xrayFlux: XrayFlux;
  readonly sharing: Sharing;
  readonly links: ShortLinks;
  readonly news: NewsService;
  readonly clientStates: ClientStates;
  /** JPIP has a limit of its own, because it draws nothing and a client sends one request for each frame of a movie. */
  readonly jpipLimiter: RateLimitBinding;
  readonly turns: Pick<Turns, 'serve' | 'turn' | 'change'>;
  readonly assets: { fetch(request: Request): Promise<Response> };
  readonly settings: ServiceSettings;
  /** Receives one record per fault of the service. */
  readonly logFault: Log;
}

export type Context = OperationContext<Services>;
export type ServiceOperation = Operation<Services>;

/** Operations and resources of these services, by their definitions. */
export const operation = operationsOf<Services>();
export const resource = resourcesOf<Services>();

/** Cache policy of a response whose nearest image no expected delivery changes. */
export const settledPolicy = ({ sample }: Pick<Services, 'sample'>): CachePolicy => (sample.isUnderWay ? RECENT : SETTLED);

/** Cache policy of a response about the time until `endMs`. */
export const policyUntil = (endMs: number, services: Pick<Services, 'clock' | 'sample'>): CachePolicy =>
  endMs < services.clock() - SETTLED_AFTER_MS ? settledPolicy(services) : RECENT;

export const cataloguePolicy = ({ sample }: Pick<Services, 'sample'>): CachePolicy =>
  sample.isUnderWay ? GROWING_CATALOGUE : CATALOGUE;

/** Whether the service has a public name, which every deployment has and no local service unless its operator gives it one. */
export const isDeployed = ({ sharing }: Pick<Services, 'sharing'>): boolean => Boolean(sharing.settings.publicOrigin);

/** Policy of a response that names the host, which is not in the keys of the edge cache: public only where all hosts have the same name. */
export const namingHost = (policy: CachePolicy, { services }: Pick<Context, 'services'>): CachePolicy =>
  isDeployed(services) ? policy : policy.replace(/^public/, 'private');

/** A document of JSON in a media type of its own, which names the host. */
export const documentReply = (type: string, value: object, { policy, ...facts }: RepresentationFacts, context: Context) =>
  textReply(type, JSON.stringify(value), { ...facts, policy: namingHost(policy, context) });

export const serviceOrigin = ({ services, url }: Context): string => services.sharing.settings.publicOrigin ?? url.origin;

const IDS = { image: /^image-(\d{1,15})$/, source: /^source-(\d{1,7})$/ } as const;

/** The id of an image or a datasource as a text, such as image-26. */
export const idText = (kind: keyof typeof IDS, id: number): string => `${kind}-${id}`;

/** The number in the text of an id. @throws the failure of another text */
export function idIn(kind: keyof typeof IDS, text: string, failure: (text: string) => Failure): number {
  const digits = IDS[kind].exec(text)?.[1];
  if (digits === undefined) throw failure(text);
  return Number(digits);
}

/** Failures of requests in the form of a standard, by a text; null for those that keep the form of the operations. */
export const failedAs =
  (type: string, textOf: (failure: Failure) => string | null, status = statusOf) =>
  (failure: Failure): Promise<Representation> | null => {
    const text = textOf(failure);
    return text === null ? null : textReply(type, text, { policy: NO_STORE, status: status(failure) });
  };

export const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`;

/** The page of a failure. @throws as `toldFailure` */
export const failurePage =
  (title: string, { services }: Context) =>
  (error: unknown): Promise<Representation> => {
    const { sentence, facts } = toldFailure(error, services.logFault);
    return htmlReply({ title, body: paragraph(sentence) }, facts);
  };
