// Builds the Worker from its bindings: adapters, the services on them, and the HTTP application.
import type { Hono } from 'hono';
import { type AppVariables, createApp } from './app.ts';
import { AUDIT } from './config/limits/http.ts';
import { JOB_BYTES, MEMORY_WAIT_MS, memoryLimits } from './config/limits/memory.ts';
import { MIRROR_REQUESTS, MIRROR_STEP } from './config/limits/mirror.ts';
import { readEventSettings } from './config/settings/events.ts';
import { readLinkSettings } from './config/settings/links.ts';
import { readMirrorSettings } from './config/settings/mirror.ts';
import { readMovieQueueSettings, readMovieSettings } from './config/settings/movies.ts';
import { readSampleSettings } from './config/settings/sample.ts';
import { ADMIN_NAME, readServiceSettings, type ServiceSettings, STORAGE_VARIABLES } from './config/settings/service.ts';
import { readSharingSettings } from './config/settings/sharing.ts';
import { readVariables } from './config/variable.ts';
import { memberSources } from './domain/catalogue/xrt.ts';
import type { ArchivedImage } from './domain/image.ts';
import { MOVIE_NUDGE } from './domain/movies/job.ts';
import { UPLOAD_NUDGE } from './domain/sharing/share.ts';
import type { Env } from './env.ts';
import { CacheApiEdgeCache } from './http/edge-cache.ts';
import { IsolateRateLimit } from './http/rate-limit.ts';
import { SIDECAR_VERSION } from './imaging/jp2/sidecar.ts';
import { keepRastersIn } from './imaging/overlays/rasterise.ts';
import type { CronJobs, QueueJobs } from './jobs/jobs.ts';
import type { ResponseCaches } from './ports/images.ts';
import type { ListedObject } from './ports/objects.ts';
import type { RateLimitBinding } from './ports/rate-limit.ts';
import type { Log } from './ports/timing.ts';
import { adminRoutes } from './routes/internal/admin.ts';
import { internalRoutes } from './routes/internal/internal.ts';
import { StateTables } from './services/bodies/state-tables.ts';
import { EventMarkers } from './services/events/event-markers.ts';
import { EventService } from './services/events/event-service.ts';
import { type IndexingOptions, indexObjects } from './services/images/index-objects.ts';
import { ingest } from './services/images/ingest.ts';
import { inspectJp2 } from './services/images/inspect-jp2.ts';
import { KnownImages } from './services/images/known-images.ts';
import { SampleProgressStore } from './services/images/sample-progress.ts';
import { sweepAbandonedUploads } from './services/images/sweep.ts';
import { withdraw } from './services/images/withdraw.ts';
import { JpxBudget } from './services/jpx/jpx-budget.ts';
import { withMemory } from './services/memory-room.ts';
import { knownNames } from './services/mirror/known-names.ts';
import { mirrorStep } from './services/mirror/mirror-step.ts';
import { ownArchive } from './services/mirror/own-archive.ts';
import { MovieJobs } from './services/movies/movie-jobs.ts';
import { wakeMovieWorkers } from './services/movies/movie-workers.ts';
import { sweepUnusedMovies } from './services/movies/movies.ts';
import { reconcileByClock, reconcileStep, reconciliationState } from './services/reconciliation/reconcile.ts';
import { makeCoefficientsOfRange } from './services/rendering/coefficient-range.ts';
import { Coefficients } from './services/rendering/coefficients.ts';
import { FrameRenderer } from './services/rendering/frame-renderer.ts';
import { imageFileRenderer } from './services/rendering/image-file-renderer.ts';
import { ImageReader } from './services/rendering/image-reader.ts';
import { LayerRenderer } from './services/rendering/layer-renderer.ts';
import { pictureRenderer } from './services/rendering/picture-renderer.ts';
import { sweepScreenshots } from './services/rendering/screenshots.ts';
import { tileRenderer } from './services/rendering/tile-renderer.ts';
import { ClientStates, sweepClientStates } from './services/sharing/client-states.ts';
import { NewsService } from './services/sharing/news-feed.ts';
import { ShareableMovies } from './services/sharing/shareable-movies.ts';
import { assembleSharing } from './services/sharing/sharing.ts';
import { ShortLinks, sweepLinks } from './services/sharing/short-links.ts';
import { StatusService } from './services/status/service-status.ts';
import { UpstreamBeats } from './services/status/upstream-beats.ts';
import { D1AuditLog } from './storage/audit/d1-audit-log.ts';
import { databasesFrom, imageDatabasesFrom } from './storage/databases.ts';
import { D1RhessiFlares } from './storage/events/d1-events-rhessi.ts';
import { R2EventDays } from './storage/events/r2-event-days.ts';
import { D1BulkRegister } from './storage/images/d1-bulk-register.ts';
import { D1ImageIndex } from './storage/images/d1-image-index.ts';
import { D1ImageRegister } from './storage/images/d1-image-register.ts';
import { D1Screenshots } from './storage/images/d1-screenshots.ts';
import { D1ShardMoves } from './storage/images/d1-shard-moves.ts';
import { D1UploadJournal } from './storage/images/d1-upload-journal.ts';
import { DurableIdSequences } from './storage/images/durable-id-sequences.ts';
import { DurableChannels } from './storage/jpip/durable-channels.ts';
import { D1JpxCharges } from './storage/jpx/d1-jpx-charges.ts';
import { D1MirrorState } from './storage/mirror/d1-mirror-state.ts';
import { D1MovieClaims } from './storage/movies/d1-movie-claims.ts';
import { D1MovieExpiry } from './storage/movies/d1-movie-expiry.ts';
import { D1MovieUploads } from './storage/movies/d1-movie-uploads.ts';
import { D1Movies } from './storage/movies/d1-movies.ts';
import { R2MoviePlans } from './storage/movies/r2-movie-plans.ts';
import { R2ObjectStore } from './storage/r2-object-store.ts';
import { replicasOf } from './storage/replicas.ts';
import { D1ClientStates } from './storage/sharing/d1-client-states.ts';
import { D1Links } from './storage/sharing/d1-links.ts';
import { D1SharingSessions } from './storage/sharing/d1-sharing-sessions.ts';
import { D1VideoShares } from './storage/sharing/d1-video-shares.ts';
import { D1StatusRegister } from './storage/status/d1-status-register.ts';
import { analyticsPoints } from './upstreams/analytics-points.ts';
import { eventFeeds } from './upstreams/events/feeds.ts';
import { mirrorUpstream } from './upstreams/mirror/mirror-upstream.ts';
import { movieWorkersFrom } from './upstreams/movie-workers.ts';
import { HttpNewsSource } from './upstreams/news-feed.ts';
import { QueueNudge } from './upstreams/queue-nudge.ts';
import { RecentSampleIndex, recentImagesFrom } from './upstreams/recent-sample.ts';
import { BitlyShortener } from './upstreams/url-shortener.ts';
import type { Fetch } from './upstreams/video-host/host-request.ts';
import { HttpVideoHost } from './upstreams/video-host/http-video-host.ts';
import { randomHex } from './util/digest.ts';
import { DAY_MS } from './util/durations.ts';
import { MemoryBudget } from './util/memory-budget.ts';

export interface Assembly extends QueueJobs, CronJobs {
  readonly app: Hono<AppVariables>;
}

/** A key of clients that an isolate without a secret makes itself; limits then hold for the isolate. */
const CLIENT_SECRET_BYTES = 32;

const clock = () => Date.now();
const log: Log = (record) => console.log(JSON.stringify(record));

/**
 * The Worker of these bindings, which are the same for every request of an isolate.
 * @param workersCache The cache in front of the service in a deployment
 */
export function assemble(env: Env, workersCache: ResponseCaches): Assembly {
  const settings = readServiceSettings(env);
  const archive = assembleArchive(env, workersCache, new MemoryBudget(memoryLimits(settings.memoryBudget)));
  const { flares, events } = assembleEvents(env, archive);
  keepRastersIn(archive.memory);
  const sharing = assembleVideoHost(env, archive);
  const markers = new EventMarkers({ events, videos: sharing.userVideos });
  const movies = assembleMovies(env, archive, markers, sharing.settings.publicOrigin);
  const { index, objects, uploads, edgeCache } = archive;
  const sample = new SampleProgressStore(objects);
  const stateTables = new StateTables({ objects, clock, log });
  const drawing = assembleDrawing(env, archive);
  const links = assembleLinks(env, archive);
  const audit = new D1AuditLog(archive.databases);
  const clientSecret = operatorsOf(settings)[0]?.token ?? randomHex(CLIENT_SECRET_BYTES);
  const mirror = assembleMirror(env, archive);
  const status = new StatusService({
    index,
    events,
    register: archive.statusRegister,
    mirror: mirror?.heartbeat ?? null,
    points: analyticsPoints(env.STATUS_POINTS),
    clock,
  });
  const admin = adminRoutes({
    index,
    ingest: (file) => ingest(uploads, file),
    withdraw: (fileName) => withdraw(uploads, fileName),
    flares,
    sample,
    stateTables,
    shards: new D1ShardMoves(imageDatabasesFrom(env)),
    audit,
    clock,
    log,
    operators: operatorsOf(settings),
    coefficients: (range) =>
      makeCoefficientsOfRange({ index: uploads.index, reader: drawing.reader, coefficients: uploads.coefficients }, range),
    objects,
    indexObjects: archive.indexObjects,
    memory: archive.memory,
    knownNames: (names) => knownNames(archive.bulkRegister, names),
    reconcile: (step) => reconcileStep(archive.reconciliation, step),
    reconciliation: () => reconciliationState(archive.reconciliation),
  });
  const app = createApp(
    {
      index,
      objects,
      sample,
      stateTables,
      status,
      operators: operatorsOf(settings),
      ...drawing,
      clientSecret,
      jpxBudget: new JpxBudget({ charges: new D1JpxCharges(archive.databases), clock, clientSecret }),
      markers,
      events,
      sharing,
      ...links,
      ...movies.operations,
      edgeCache,
      clock,
      settings,
      assets: env.ASSETS,
      rateLimiter: rateLimitOf(env, 'RENDER_LIMIT'),
      pictureLimiter: rateLimitOf(env, 'PICTURE_LIMIT'),
      memory: archive.memory,
    },
    { '/admin': admin, '/internal': movies.workerRoutes },
  );
  return {
    app,
    indexObjects: archive.indexObjects,
    sendAgain: async (messages, delaySeconds) => {
      await env.OBJECTS.sendBatch(
        messages.map((body) => ({ body })),
        { delaySeconds },
      );
    },
    sweepUploads: () => sweepAbandonedUploads(uploads),
    reconcile: () => reconcileByClock(archive.reconciliation),
    sweepLinks: links.sweepLinks,
    sweepClientStates: links.sweepClientStates,
    sweepAudit: () => audit.sweep(clock() - AUDIT.lifeMs, AUDIT.entries),
    sweepScreenshots: () => sweepScreenshots({ ...drawing, clock }),
    ...movies.jobs,
    mirror: mirror ? mirror.step : async () => 0,
    recordStatus: () => status.record(),
    runVideoUploads: sharing.runUploads,
    sweepSharing: sharing.sweep,
    clock,
    log,
  };
}

/** The holder of ADMIN_TOKEN, and those of ADMIN_TOKENS. */
function operatorsOf({ adminToken, adminTokens }: ServiceSettings) {
  return [...(adminToken === null ? [] : [{ name: ADMIN_NAME, token: adminToken }]), ...adminTokens];
}

/** The binding of a rate limit, or its count in the isolate where the settings have one. */
function rateLimitOf(env: Env, binding: 'RENDER_LIMIT' | 'PICTURE_LIMIT' | 'JPIP_LIMIT'): RateLimitBinding {
  const { localRateLimits } = readVariables(STORAGE_VARIABLES, env);
  const local = localRateLimits.find((limit) => limit.binding === binding);
  return local ? new IsolateRateLimit(local, clock) : env[binding];
}

type Archive = ReturnType<typeof assembleArchive>;

/** Images: their index, their objects, the ports of the ingest, and the cache of responses. */
function assembleArchive(env: Env, workersCache: ResponseCaches, memory: MemoryBudget) {
  const databases = databasesFrom(env);
  const stored = new D1ImageIndex(databases, membersOf);
  const objects = new R2ObjectStore(env.ARCHIVE);
  const replica = new D1ImageIndex(replicasOf(databases), membersOf);
  const known = new KnownImages({ replica, primary: stored, objects, clock, memory });
  const { recentUrl } = readSampleSettings(env);
  const index =
    recentUrl === null ? known : new RecentSampleIndex({ index: known, make: recentImagesFrom(recentUrl), clock, log });
  const ids = new DurableIdSequences(env.ID_SEQUENCES);
  const isLocal = readVariables(STORAGE_VARIABLES, env).edgeCache === 'cache-api';
  const edgeCache = isLocal ? new CacheApiEdgeCache(caches.default, { memory, clock }) : undefined;
  const coefficients = new Coefficients({ objects, makes: ['A', 'B', 'C'], log, memory });
  const uploads = {
    index: stored,
    register: new D1ImageRegister(databases, ids),
    journal: new D1UploadJournal(databases, clock),
    objects,
    facts: known,
    caches: edgeCache ?? workersCache,
    inspect: inspectJp2,
    coefficients,
    clock,
    sidecarVersion: SIDECAR_VERSION,
  };
  const bulkRegister = new D1BulkRegister(databases, ids);
  const statusRegister = new D1StatusRegister(databases, clock);
  const bulk = { register: bulkRegister, journal: uploads.journal, objects, facts: known, clock, memory, log };
  const indexing = (found: readonly ListedObject[], options: IndexingOptions) => indexObjects(bulk, found, options);
  const reconciliation = {
    ...uploads,
    register: bulkRegister,
    states: objects,
    memory,
    indexObjects: (found: readonly ListedObject[]) => indexing(found, { readPackets: true, compareKnown: true }),
    withdraw: (fileName: string, only: Pick<ArchivedImage, 'id' | 'key'>) => withdraw(uploads, fileName, only),
    log,
  };
  return {
    databases,
    ids,
    index,
    objects,
    coefficients,
    uploads,
    known,
    edgeCache,
    indexObjects: indexing,
    memory,
    bulkRegister,
    reconciliation,
    statusRegister,
    beats: new UpstreamBeats({ register: statusRegister, clock, log }),
  };
}

/** The mirror of the clock; null unless the settings have one. */
function assembleMirror(env: Env, { databases, uploads, bulkRegister, memory }: Archive) {
  const settings = readMirrorSettings(env);
  if (!settings) return null;
  const { kind, address, perSecond, everyMs } = settings;
  const { attempts, attemptMs, waitMs: longestWaitMs } = MIRROR_STEP;
  const politeness = { ...MIRROR_REQUESTS, perSecond, parallel: MIRROR_STEP.parallel, attempts, attemptMs, longestWaitMs };
  const state = new D1MirrorState(databases, address, clock);
  const archive = ownArchive(bulkRegister, (file) =>
    withMemory(memory, JOB_BYTES.perFileByte * file.jp2.length, () => ingest(uploads, file), MEMORY_WAIT_MS.background),
  );
  const step = () => {
    const fromMs = settings.fromMs ?? clock() - DAY_MS;
    const scopes = settings.sources.map((source) => ({ ...source, fromMs }));
    // A client for each step: what belongs to one invocation cannot be awaited in another.
    const upstream = mirrorUpstream(kind, address, politeness);
    return mirrorStep(
      { upstream, archive, state, claims: state, clock, log },
      { scopes, parallel: MIRROR_STEP.parallel, everyMs },
    );
  };
  return { step, heartbeat: () => state.heartbeat() };
}

/** Members of a group of sources, or the source alone. */
function membersOf(sourceId: number): readonly number[] {
  const members = memberSources(sourceId);
  return members.length > 0 ? members : [sourceId];
}

/** Renderers of tiles and pictures, and JPIP, over one image reader and its caches. */
function assembleDrawing(env: Env, { databases, ids, objects, coefficients, memory, known }: Archive) {
  const reader = new ImageReader(objects, { coefficients, memory });
  const layers = new LayerRenderer(reader);
  return {
    reader,
    tiles: tileRenderer(layers),
    afterRendering: async () => {
      await Promise.all([known.storeMissing(), coefficients.makeOrdered()]);
    },
    imageFiles: imageFileRenderer(layers),
    pictures: pictureRenderer(new FrameRenderer(layers)),
    screenshotRegister: new D1Screenshots(databases, ids),
    jpip: {
      openIndex: (key: string) => reader.openIndex(key, {}),
      channels: new DurableChannels(env.JPIP_CHANNELS),
      rateLimiter: rateLimitOf(env, 'JPIP_LIMIT'),
    },
  };
}

function assembleEvents(env: Env, { databases, objects, memory }: Archive) {
  const flares = new D1RhessiFlares(databases);
  const feeds = eventFeeds(readEventSettings(env), flares);
  return { flares, events: new EventService({ feeds, store: new R2EventDays(objects), clock, log, memory }) };
}

function assembleVideoHost(env: Env, { databases, objects, beats }: Archive) {
  const settings = readSharingSettings(env);
  const responds = ({ status }: Response) => status < 500;
  const fetchOfHost: Fetch = (url, init) => beats.watch('video host', () => fetch(url, init), responds);
  return assembleSharing({
    sessions: new D1SharingSessions(databases),
    shares: new D1VideoShares(databases),
    movies: new ShareableMovies({ register: new D1Movies(databases), objects }),
    objects,
    host: settings.videoHost && new HttpVideoHost(settings.videoHost, { now: clock, fetch: fetchOfHost }),
    uploads: new QueueNudge(env.UPLOADS, UPLOAD_NUDGE),
    clock,
    settings,
    log,
  });
}

function assembleLinks(env: Env, { databases, objects, beats }: Archive) {
  const settings = readLinkSettings(env);
  const { shortener, newsFeedUrl } = settings;
  const register = new D1Links(databases);
  const states = { register: new D1ClientStates(databases), objects, clock };
  const bitly = shortener && new BitlyShortener(shortener);
  const blog = newsFeedUrl === null ? null : new HttpNewsSource(newsFeedUrl);
  return {
    sweepLinks: () => sweepLinks({ register, clock }),
    links: new ShortLinks({
      register,
      shortener: bitly && { shorten: (address) => beats.watch('shortener', () => bitly.shorten(address)) },
      settings,
      clock,
      log,
    }),
    clientStates: new ClientStates(states),
    sweepClientStates: () => sweepClientStates(states),
    news: new NewsService({
      source: blog && { address: blog.address, load: () => beats.watch('news', () => blog.load()) },
      objects,
      clock,
      log,
    }),
  };
}

/** The public operations of movies, disabled without a token for the workers; the routes of the workers; the jobs of the queue. */
function assembleMovies(env: Env, archive: Archive, markers: EventMarkers, publicOrigin: string | null) {
  const { databases, index, objects } = archive;
  const queueSettings = readMovieQueueSettings(env);
  const { movieToken, movieLeaseSeconds } = queueSettings;
  const settings = readMovieSettings(env);
  const register = new D1Movies(databases);
  const claims = new D1MovieClaims(databases, { leaseMs: 1000 * movieLeaseSeconds });
  const plans = new R2MoviePlans(objects);
  const nudge = new QueueNudge(env.JOBS, MOVIE_NUDGE);
  const workers = movieWorkersFrom(queueSettings, () => env.MOVIE_WORKERS, log);
  const jobs = new MovieJobs({
    index,
    markers,
    publicOrigin,
    plans,
    claims,
    uploads: new D1MovieUploads(databases),
    incoming: objects,
    objects,
    clock,
    log,
  });
  return {
    operations: movieToken === null ? {} : { movies: { register, plans, nudge, settings, secret: movieToken } },
    workerRoutes: internalRoutes({ jobs, objects, movieToken }),
    jobs: {
      wakeMovieWorkers: () => wakeMovieWorkers({ register, workers }),
      sweepMovies: () => claims.expire(clock()),
      sweepUnusedMovies: () => sweepUnusedMovies({ expiring: new D1MovieExpiry(databases), clock }),
    },
  };
}
