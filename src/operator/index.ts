// What other rooms may import of this one.
export { operatorRoutes } from './admin.ts';
export type { AdminServices, MirrorCommands, Operator } from './admin-scopes.ts';
export { type CoefficientRange, makeCoefficientsOfRange } from './coefficient-range.ts';
export { D1AuditLog } from './d1-audit-log.ts';
export { D1MirrorState } from './mirror/d1-mirror-state.ts';
export type { MirrorTarget } from './mirror/mirror-step.ts';
export { commandedStep, copyPlannedFile, mirrorStep } from './mirror/mirror-step.ts';
export type { CommandedUpstream, PlannedFile } from './mirror/ports.ts';
export { mirrorUpstream } from './mirror/upstream/mirror-upstream.ts';
export { type ReconciliationRequest, reconcileByClock, reconcileStep, reconciliationState } from './reconciliation/reconcile.ts';
export type { OperationCount } from './status/analytics-sql.ts';
export { analyticsCounts, analyticsPoints } from './status/analytics-sql.ts';
export { D1StatusRegister } from './status/d1-status-register.ts';
export { type BeatName, JOB_LEASE_MS, JOBS, type JobMessage, type JobName, jobBeat, jobsOf } from './status/jobs.ts';
export {
  type HealthCheck,
  healthCheck,
  isLateOrFailing,
  isoOrNull,
  StatusService,
  statusJson,
  upstreamBeats,
} from './status/service-status.ts';
export { statusRoutes } from './status/status-routes.ts';
export { D1Webhooks, isWebhookMessage, type WebhookMessage } from './webhooks/d1-webhooks.ts';
export { postMessage, Webhooks } from './webhooks/webhooks.ts';
