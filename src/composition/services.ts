// All services of the Worker, over a platform.
import type { BackgroundJobs } from '../background.ts';
import { AUDIT } from '../config/limits/http.ts';
import { CHECKED_STATEMENTS } from '../config/limits/status.ts';
import { ADMIN_NAME, type ServiceSettings, STORAGE_VARIABLES } from '../config/settings/service.ts';
import { readSharingSettings } from '../config/settings/sharing.ts';
import { readVariables } from '../config/variable.ts';
import type { OperationCount } from '../ports/status.ts';
import type { Operator } from '../routes/internal/admin-scopes.ts';
import type { Services } from '../routes/services.ts';
import { Budgets } from '../services/budgets.ts';
import { EventMarkers, type MarkerSource } from '../services/events/event-markers.ts';
import { ChannelIds } from '../services/jpip/channel-ids.ts';
import { healthCheck } from '../services/status/health.ts';
import { StatusService } from '../services/status/service-status.ts';
import { D1AuditLog } from '../storage/audit/d1-audit-log.ts';
import { D1Charges } from '../storage/charges/d1-charges.ts';
import { D1Movies } from '../storage/movies/d1-movies.ts';
import { D1StatusRegister } from '../storage/status/d1-status-register.ts';
import { analyticsCounts } from '../upstreams/analytics-sql.ts';
import { randomHex } from '../util/bytes.ts';
import { traceOf } from '../util/causes.ts';
import { type Archive, archiveServices } from './archive.ts';
import { eventServices } from './events.ts';
import { mirrorServices } from './mirror.ts';
import { movieServices } from './movies.ts';
import type { Platform } from './platform.ts';
import { imageReading, jpipServices, type Reading, renderingServices } from './rendering.ts';
import { COUNTED_MINUTES, isolateCounts } from './request-counts.ts';
import { sharingServices } from './sharing.ts';
import { webhookServices } from './webhooks.ts';

/** Bytes of the key that an isolate without a secret makes itself; limits of clients then hold for the isolate. */
const CLIENT_SECRET_BYTES = 32;

/** The services of the routes, the jobs of the clock and the queues, and what they are made of. */
export type Composed = Platform &
  Services &
  BackgroundJobs &
  Reading &
  Pick<Archive, 'coefficients' | 'grids'> & { readonly markers: MarkerSource };

/** `replaced`: services that a test made itself, which are then used in place of ours by all that depend on them. */
export function composeServices(platform: Platform, replaced: Partial<Composed> = {}): Composed {
  const { databases, settings, statusPoints: points, clock } = platform;
  const operators = operatorsOf(settings);
  const clientSecret = operators[0]?.token ?? randomHex(CLIENT_SECRET_BYTES);
  const own = archiveServices(platform);
  const archive = { ...own, ...replaced };
  const events = { ...eventServices(platform), ...replaced };
  const budgets = replaced.budgets ?? new Budgets({ charges: new D1Charges(databases), clock, secret: clientSecret });
  const [statusRegister, movieRegister] = [new D1StatusRegister(databases, clock), new D1Movies(databases)];
  const sharingSettings = readSharingSettings(platform.variables);
  const sharing = { ...sharingServices(platform, { statusRegister, movieRegister, sharingSettings, budgets }), ...replaced };
  const { index } = archive;
  const reading = { ...imageReading(platform, { ...archive, index: own.index }), ...replaced };
  const markers =
    replaced.markers ??
    new EventMarkers({ events: events.events, videos: sharing.sharing.userVideos, stateTables: archive.stateTables });
  const mirror = mirrorServices(platform, archive);
  const status =
    replaced.status ??
    new StatusService({ index, events: events.events, register: statusRegister, mirror: mirror.mirrorHeartbeat, points, clock });
  const audit = new D1AuditLog(databases);
  return {
    ...platform,
    ...archive,
    ...events,
    ...sharing,
    ...reading,
    ...mirror,
    ...renderingServices(platform, { ...reading, surveys: archive.surveys, grids: archive.grids, index, markers, budgets }),
    ...jpipServices(platform, { ...reading, index, channelIds: new ChannelIds(clientSecret, platform.clock) }),
    ...movieServices(platform, { index, markers, register: movieRegister, publicOrigin: sharingSettings.publicOrigin, budgets }),
    ...webhookServices(platform, events),
    markers,
    budgets,
    status,
    jobRuns: statusRegister,
    requestCounts: () => requestCountsOf(platform),
    runStatements: () => statusRegister.runStatements(CHECKED_STATEMENTS),
    deadLetters: statusRegister,
    health: healthCheck({ index, sample: archive.sample, status, clock }),
    recordStatus: () => status.record(),
    operators,
    audit,
    sweepAudit: () => audit.sweep(clock() - AUDIT.lifeMs, AUDIT.entries),
    ...replaced,
  };
}

/** Requests of a deployment from Analytics Engine, of this machine from its one isolate. */
async function requestCountsOf({ settings, variables, log }: Platform): Promise<readonly OperationCount[]> {
  const { requestAnalytics } = settings;
  const { rateCounters } = readVariables({ rateCounters: STORAGE_VARIABLES.rateCounters }, variables);
  if (!requestAnalytics) return rateCounters === 'isolates' ? isolateCounts() : [];
  return analyticsCounts(requestAnalytics, COUNTED_MINUTES).catch((error: unknown) => {
    log({ requestAnalytics: traceOf(error) });
    return [];
  });
}

/** The holder of ADMIN_TOKEN, who has all scopes, and those of ADMIN_TOKENS. */
function operatorsOf({ adminToken, adminTokens }: ServiceSettings): readonly Operator[] {
  return [...(adminToken === null ? [] : [{ name: ADMIN_NAME, token: adminToken, scopes: ['all'] as const }]), ...adminTokens];
}
