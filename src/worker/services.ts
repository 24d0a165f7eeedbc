// All services of the Worker, over a platform.
import { ProjectionCheck } from '../archive/drawing/projection-check.ts';
import { D1ImageIndex } from '../archive/image-index/d1-image-index.ts';
import { D1EventCounts } from '../events/d1-event-counts.ts';
import { D1RhessiFlares } from '../events/d1-events-rhessi.ts';
import { R2EventDays } from '../events/event-days.ts';
import { EventMarkers, type MarkerSource } from '../events/event-markers.ts';
import { EventService } from '../events/event-service.ts';
import { eventFeeds, xrayFeed } from '../events/feeds/feeds.ts';
import { XrayFlux } from '../events/x-ray-flux.ts';
import { ChannelIds, type Services } from '../faces/index.ts';
import { D1BuildClaims } from '../movies/d1-build-claims.ts';
import { D1Movies } from '../movies/d1-movies.ts';
import { R2MovieFrames } from '../movies/movie-plan.ts';
import { type MoviePorts, MovieService, sweepUnusedMovies } from '../movies/movie-service.ts';
import { MOVIE_NUDGE } from '../movies/worker-protocol.ts';
import { WorkerService, type WorkerServicePorts, wakeMovieWorkers, wakingOfSettings } from '../movies/worker-service.ts';
import * as operator from '../operator/index.ts';
import { Budgets } from '../platform/admission/budgets.ts';
import { EVENT_REQUESTS } from '../platform/limits/events.ts';
import { AUDIT } from '../platform/limits/http.ts';
import { JOB_BYTES, MEMORY_WAIT_MS } from '../platform/limits/memory.ts';
import { MIRROR_REQUESTS, MIRROR_STEP } from '../platform/limits/mirror.ts';
import { LINKS } from '../platform/limits/sharing.ts';
import { CHECKED_STATEMENTS } from '../platform/limits/status.ts';
import { readEventSettings } from '../platform/settings/events.ts';
import { readLinkSettings } from '../platform/settings/links.ts';
import { readMirrorSettings } from '../platform/settings/mirror.ts';
import { MOVIE_QUEUE_VARIABLES, MOVIE_VARIABLES } from '../platform/settings/movies.ts';
import { ADMIN_NAME, type ServiceSettings } from '../platform/settings/service.ts';
import { readSharingSettings, type SharingSettings } from '../platform/settings/sharing.ts';
import { readVariables } from '../platform/settings/variable.ts';
import { WEBHOOK_VARIABLES } from '../platform/settings/webhooks.ts';
import { randomHex } from '../platform/util/bytes.ts';
import { DAY_MS } from '../platform/util/durations.ts';
import { traceOf } from '../platform/util/errors.ts';
import { ClientStates, sweepClientStates } from '../sharing/client-states.ts';
import { D1ClientStates } from '../sharing/d1-client-states.ts';
import { D1Links } from '../sharing/d1-links.ts';
import { NewsService, newsSource } from '../sharing/news/news-service.ts';
import { bitlyShortener, ShortLinks } from '../sharing/short-links.ts';
import { D1SharingSessions } from '../sharing/videos/d1-sharing-sessions.ts';
import { D1VideoShares } from '../sharing/videos/d1-video-shares.ts';
import { UPLOAD_NUDGE } from '../sharing/videos/share.ts';
import { assembleSharing } from '../sharing/videos/sharing.ts';
import { secretBox } from '../sharing/videos/sharing-access.ts';
import { type Fetch, videoHost } from '../sharing/videos/video-host.ts';
import { shareableMovie } from '../sharing/videos/video-sharing.ts';
import { type BackgroundJobs, MIRROR_FILE } from './background.ts';
import { COUNTED_MINUTES, isolateCounts } from './gateway.ts';
import { type Archive, archiveServices, imageReading, jpipServices, type Reading, renderingServices } from './images.ts';
import type { Platform } from './platform.ts';

/** Bytes of the key that an isolate without a secret makes itself; limits of clients then hold for the isolate. */
const CLIENT_SECRET_BYTES = 32;

/** The services of the routes, the jobs of the clock and the queues, and what they are made of. */
export type Composed = Platform &
  Services &
  BackgroundJobs &
  Reading &
  Pick<Archive, 'coefficients' | 'grids'> & { readonly markers: MarkerSource };

/** `replaced`: services of a test, used in place of ours by all dependants. */
export function composeServices(platform: Platform, replaced: Partial<Composed> = {}): Composed {
  const { databases, settings, statusPoints: points, clock } = platform;
  const operators = operatorsOf(settings);
  const sharingSettings = readSharingSettings(platform.variables);
  const { publicOrigin, sessionKey } = sharingSettings;
  const { MOVIE_TOKEN } = readVariables(MOVIE_QUEUE_VARIABLES, platform.variables);
  // Tokens of operators are replaced now and then: sessions of JPIP and what clients have used up outlive that.
  const secret = sessionKey ?? operators[0]?.token ?? MOVIE_TOKEN ?? randomHex(CLIENT_SECRET_BYTES);
  const own = archiveServices(platform);
  const archive = { ...own, ...replaced };
  const events = { ...eventServices(platform), ...replaced };
  const [statusRegister, movieRegister] = [new operator.D1StatusRegister(databases, clock), new D1Movies(databases)];
  const sharing = { ...sharingServices(platform, statusRegister, movieRegister, sharingSettings), ...replaced };
  const { index, stateTables } = archive;
  const reading = { ...imageReading(platform, { ...archive, index: own.index }), ...replaced };
  const { markers = new EventMarkers({ events: events.events, videos: sharing.sharing.userVideos, stateTables }) } = replaced;
  const mirror = mirrorServices(platform, archive);
  const shown = { index, events: events.events, register: statusRegister, mirror: mirror.mirrorHeartbeat };
  const { status = new operator.StatusService({ ...shown, points, clock }) } = replaced;
  const { projections = new ProjectionCheck({ index, reader: reading.reader, stateTables }) } = replaced;
  const audit = new operator.D1AuditLog(databases);
  return {
    ...platform,
    ...archive,
    ...events,
    ...sharing,
    ...reading,
    ...mirror,
    ...renderingServices(platform, { ...archive, ...reading, markers }),
    ...jpipServices(platform, { ...reading, index, channelIds: new ChannelIds({ secret, clock }) }),
    ...movieServices(platform, { index, markers, register: movieRegister, projections, publicOrigin, secret }),
    ...webhookServices(platform, events.events, sharingSettings),
    markers,
    projections,
    budgets: new Budgets({ databases, clock, secret }),
    afterRendering: reading.renderers.afterRendering,
    status,
    jobRuns: statusRegister,
    requestCounts: () => requestCountsOf(platform),
    runStatements: () => statusRegister.runStatements(CHECKED_STATEMENTS),
    deadLetters: statusRegister,
    health: operator.healthCheck({ index, sample: archive.sample, status, clock }),
    recordStatus: () => status.record(),
    operators,
    audit,
    sweepAudit: () => audit.sweep(clock() - AUDIT.lifeMs, AUDIT.entries),
    ...replaced,
  };
}

/** Requests of a deployment from Analytics Engine, of this machine from its one isolate. */
async function requestCountsOf({ settings, isLocal, log }: Platform): Promise<readonly operator.OperationCount[]> {
  const { REQUEST_ANALYTICS: requestAnalytics } = settings;
  if (!requestAnalytics) return isLocal ? isolateCounts() : [];
  return operator.analyticsCounts(requestAnalytics, COUNTED_MINUTES).catch((error: unknown) => {
    log({ requestAnalytics: traceOf(error) });
    return [];
  });
}

/** The holder of ADMIN_TOKEN, who has all scopes, and those of ADMIN_TOKENS. */
function operatorsOf({ ADMIN_TOKEN: adminToken, ADMIN_TOKENS: adminTokens }: ServiceSettings): readonly operator.Operator[] {
  return [...(adminToken === null ? [] : [{ name: ADMIN_NAME, token: adminToken, scopes: ['all'] as const }]), ...adminTokens];
}

function eventServices(platform: Platform) {
  const { databases, objects, memory, clock, log } = platform;
  const counts = new D1EventCounts(databases);
  const flares = new D1RhessiFlares(databases);
  const addresses = readEventSettings(platform.variables);
  const [feeds, store] = [eventFeeds(addresses, flares), new R2EventDays(objects)];
  const events = new EventService({ feeds, store, counts, clock, log, memory });
  const xrayFlux = new XrayFlux({ feed: xrayFeed(addresses.xray, EVENT_REQUESTS), store, clock, log, memory });
  return { flares, events, xrayFlux, countEvents: () => events.counting.byClock() };
}

function movieServices(
  platform: Platform,
  ports: Pick<MoviePorts & WorkerServicePorts, 'index' | 'markers' | 'register' | 'projections' | 'publicOrigin' | 'secret'>,
) {
  const { variables, databases, objects, clock, log, send } = platform;
  const { register } = ports;
  const queueSettings = readVariables(MOVIE_QUEUE_VARIABLES, variables);
  const nudge = () => send('JOBS', [MOVIE_NUDGE]);
  const { MOVIE_TOKEN: movieToken, MOVIE_LEASE_SECONDS: movieLeaseSeconds } = queueSettings;
  const settings = readVariables(MOVIE_VARIABLES, variables);
  const claims = new D1BuildClaims(databases, { leaseMs: 1000 * movieLeaseSeconds });
  const frames = new R2MovieFrames(objects);
  const wake = wakingOfSettings(queueSettings, platform.movieContainers, log);
  const shared = { ...ports, objects, frames, clock, log };
  return {
    /** Null without MOVIE_TOKEN: no worker could build a queued movie. */
    movies: movieToken === null ? null : new MovieService({ ...shared, nudge, settings }),
    movieToken,
    workerService: new WorkerService({ ...shared, claims, incoming: objects }),
    wakeMovieWorkers: () => wakeMovieWorkers({ register, wake }),
    sweepMovies: () => claims.expire(clock()),
    sweepUnusedMovies: () => sweepUnusedMovies({ register, clock }),
  };
}

function webhookServices(platform: Platform, events: EventService, { sessionKey, publicOrigin }: SharingSettings) {
  const webhooks = new operator.Webhooks({
    ...platform,
    webhooks: new operator.D1Webhooks(platform.databases),
    images: new D1ImageIndex(platform.databases),
    events,
    box: sessionKey === null ? null : secretBox(sessionKey),
    publicOrigin,
    reachesLoopback: readVariables(WEBHOOK_VARIABLES, platform.variables).WEBHOOKS_TO_LOOPBACK,
    post: operator.postMessage,
  });
  return { webhooks, sendWebhooks: () => webhooks.run(), deliverWebhook: webhooks.deliver.bind(webhooks) };
}

/** An upstream for each step: what belongs to one invocation cannot be awaited in another. */
function upstreamOf({ kind, address, perSecond, parallel }: operator.CommandedUpstream, attempts: number) {
  const { attemptMs, waitMs: longestWaitMs } = MIRROR_STEP;
  return operator.mirrorUpstream(kind, address, { ...MIRROR_REQUESTS, perSecond, parallel, attempts, attemptMs, longestWaitMs });
}

function mirrorServices(platform: Platform, { register, ingest }: Pick<Archive, 'register' | 'ingest'>) {
  const { databases, memory, send, clock, log } = platform;
  const archive: operator.MirrorTarget = {
    known: (names) => register.known(names),
    add(fileName, jp2) {
      const add = () => ingest({ fileName, jp2, replace: false, keepsWithdrawn: true });
      return memory.run(JOB_BYTES.perFileByte * jp2.length + JOB_BYTES.survey, MEMORY_WAIT_MS.background, add);
    },
  };
  const mirrorCommands: operator.MirrorCommands = {
    sources: (upstream) => upstreamOf(upstream, MIRROR_STEP.commandAttempts).sources(),
    step: (upstream, step) => {
      const state = new operator.D1MirrorState(databases, `${upstream.address} from ${step.scope.fromMs}`, clock);
      const ports = { upstream: upstreamOf(upstream, MIRROR_STEP.commandAttempts), archive, state, clock, log };
      return operator.commandedStep(ports, step);
    },
  };
  const settings = readMirrorSettings(platform.variables);
  const nothing = async () => 0;
  /** Without settings there is no heartbeat, and nothing to do. */
  if (!settings) return { mirror: nothing, copyMirrorFile: nothing, mirrorHeartbeat: null, mirrorCommands };
  const { parallel, attempts } = MIRROR_STEP;
  const state = new operator.D1MirrorState(databases, settings.address, clock);
  const ports = () => ({ upstream: upstreamOf({ ...settings, parallel }, attempts), archive, state, clock, log });
  return {
    mirror() {
      const fromMs = settings.fromMs ?? clock() - DAY_MS;
      const scopes = settings.sources.map((source) => ({ ...source, fromMs }));
      // One request of each file, and as many again for the lists.
      const sent = Math.min(MIRROR_STEP.sent, 30 * settings.perSecond);
      const messageOf = (file: operator.PlannedFile) => ({ kind: MIRROR_FILE, ...file });
      const sendFiles = (files: readonly operator.PlannedFile[]) => send('LONG_JOBS', files.map(messageOf));
      return operator.mirrorStep(ports(), { scopes, everyMs: MIRROR_STEP.everyMs, sent, send: sendFiles });
    },
    copyMirrorFile: (file: operator.PlannedFile) => operator.copyPlannedFile(ports(), file),
    mirrorHeartbeat: () => state.heartbeat(),
    mirrorCommands,
  };
}

function sharingServices(
  platform: Platform,
  statusRegister: operator.D1StatusRegister,
  movieRegister: D1Movies,
  settings: SharingSettings,
) {
  const { variables, databases, objects, send, clock, log } = platform;
  const watched = operator.upstreamBeats({ register: statusRegister, clock, log });
  const responds = ({ status }: Response) => status < 500;
  const fetchOfHost: Fetch = (url, init) => watched('video host', () => fetch(url, init), responds);
  const sharing = assembleSharing({
    ...platform,
    sessions: new D1SharingSessions(databases),
    shares: new D1VideoShares(databases),
    movie: (id) => shareableMovie({ register: movieRegister, objects }, id),
    host: settings.videoHost && videoHost(settings.videoHost, clock, fetchOfHost),
    nudge: () => send('LONG_JOBS', [UPLOAD_NUDGE]),
    settings,
  });
  const linkSettings = readLinkSettings(variables);
  const register = new D1Links(databases);
  const bitly = linkSettings.shortener && bitlyShortener(linkSettings.shortener);
  const shortener = bitly && ((address: string) => watched('shortener', () => bitly(address)));
  const states = { register: new D1ClientStates(databases), objects, clock, log };
  const blog = linkSettings.newsFeedUrl === null ? null : newsSource(linkSettings.newsFeedUrl);
  const source = blog && { address: blog.address, load: () => watched('news', () => blog.load()) };
  return {
    sharing,
    runVideoUploads: async () => (await sharing.runUploads()).done,
    sweepSharing: sharing.sweep,
    links: new ShortLinks({ register, shortener, settings: linkSettings, clock, log }),
    sweepLinks: async () => (await register.expire(clock() - LINKS.unusedMs)).count,
    clientStates: new ClientStates(states),
    sweepClientStates: () => sweepClientStates(states),
    news: new NewsService({ source, objects, clock, log }),
  };
}
