// Operators, the scopes of their tokens as the admin routes require them, and the log of changes.
import type { z } from 'zod';
import type { ImageIndex } from '../archive/image-index/d1-image-index.ts';
import type { IndexingOptions, indexObjects } from '../archive/ingest/index-objects.ts';
import type { IngestedFile, WithdrawalResult } from '../archive/ingest/ingest.ts';
import type { IngestResult } from '../archive/ingest/ingest-result.ts';
import type { ResponseCaches } from '../archive/purges.ts';
import type { SampleProgressStore } from '../archive/sample-progress.ts';
import type { StateTables } from '../archive/state-tables.ts';
import type { D1RhessiFlares } from '../events/d1-events-rhessi.ts';
import type { RateLimitBinding } from '../platform/admission/rate-limit.ts';
import { type NamedToken, tokenHolder } from '../platform/http/credentials.ts';
import { type Found, type Route, requestBody, rowAt } from '../platform/http/request.ts';
import { jsonResponse } from '../platform/http/response.ts';
import { AUDIT } from '../platform/limits/http.ts';
import type { Send } from '../platform/ports/queues.ts';
import type { Clock, Log } from '../platform/ports/timing.ts';
import type { Scope } from '../platform/settings/service.ts';
import type { FoundObjects, ListedObject } from '../platform/storage/r2-object-store.ts';
import { parsedJson } from '../platform/util/bytes.ts';
import { badParameter, Failure, shown } from '../platform/util/errors.ts';
import type { MemoryBudget } from '../platform/util/memory-budget.ts';
import { formatIso } from '../sun/time.ts';
import type { CoefficientRange, RangeProgress } from './coefficient-range.ts';
import type { AuditAction, AuditEntry, D1AuditLog } from './d1-audit-log.ts';
import type { CommandedResult } from './mirror/mirror-step.ts';
import type { CommandedStep, CommandedUpstream } from './mirror/ports.ts';
import type { ReconciledStep, ReconciliationRequest, ReconciliationState } from './reconciliation/reconcile.ts';
import type { D1StatusRegister } from './status/d1-status-register.ts';
import type { Webhooks } from './webhooks/webhooks.ts';

export interface Operator extends NamedToken {
  readonly scopes: readonly Scope[];
}

export interface Operators {
  /** The holders of tokens; without any, the operations are disabled. */
  readonly operators: readonly Operator[];
  readonly requestLimiter: RateLimitBinding;
}

export interface MirrorCommands {
  sources(upstream: CommandedUpstream): Promise<readonly number[]>;
  step(upstream: CommandedUpstream, step: CommandedStep): Promise<CommandedResult>;
}

export interface AdminServices extends Operators {
  readonly index: ImageIndex;
  readonly objects: Pick<FoundObjects, 'list'>;
  readonly ingest: (file: IngestedFile) => Promise<IngestResult>;
  readonly withdraw: (fileName: string) => Promise<WithdrawalResult>;
  readonly indexObjects: (objects: readonly ListedObject[], options: IndexingOptions) => ReturnType<typeof indexObjects>;
  readonly reconcileStep: (step: ReconciliationRequest) => Promise<ReconciledStep>;
  readonly reconciliationState: () => Promise<ReconciliationState | null>;
  readonly flares: Pick<D1RhessiFlares, 'add' | 'count'>;
  readonly sample: SampleProgressStore;
  readonly stateTables: StateTables;
  readonly makeCoefficients: (range: CoefficientRange) => Promise<RangeProgress>;
  /** The names among those given that the archive has, or has withdrawn. */
  readonly knownNames: (fileNames: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly mirrorCommands: MirrorCommands;
  readonly webhooks: Webhooks;
  readonly deadLetters: Pick<D1StatusRegister, 'letters' | 'deadLetters' | 'removeLetter'>;
  readonly send: Send;
  readonly audit: Pick<D1AuditLog, 'add' | 'list'>;
  readonly caches: ResponseCaches;
  /** Runs more statements of D1 than an invocation is documented to have. */
  readonly runStatements: () => ReturnType<D1StatusRegister['runStatements']>;
  readonly clock: Clock;
  readonly log: Log;
  readonly memory: MemoryBudget;
}

/** A change by an operator, for the log. */
interface Change {
  readonly action: AuditAction;
  readonly subject: string;
  readonly imageId?: number;
}

/** A request of an operator. */
export interface Asked extends Found {
  readonly services: AdminServices;
  readonly request: Request;
  readonly operator: Operator;
  /** Notes a change, once. */
  readonly changed: (change: Change) => void;
}

/** The row of an admin operation, for operators with the scope, with its change in the log. An entry that cannot be stored goes to the other log. */
export const operatorRoute = (
  place: string,
  scope: Scope,
  handle: (asked: Asked) => Promise<Response>,
): Route<Pick<Asked, 'services'>> => ({
  kind: 'operator',
  ...rowAt(place),
  async handle({ services }, found, request) {
    const operator = await operatorFor(found.headers, services);
    permit(operator, scope);
    const changes: Change[] = [];
    try {
      return await handle({ ...found, services, request, operator, changed: (change) => changes.push(change) });
    } finally {
      for (const change of changes) {
        const entry = { atMs: services.clock(), operator: operator.name, imageId: null, ...change };
        await services.audit.add(entry).catch((error: unknown) => services.log({ unrecorded: entry, cause: String(error) }));
      }
    }
  },
});

/** Whether an upload may replace an image, or restore a withdrawn one. @throws Failure for another value than true or false */
export function flagOf({ searchParams }: URL, name: 'replace' | 'restore'): boolean {
  const value = searchParams.get(name) ?? '';
  if (value === '' || value === 'false') return false;
  if (value === 'true') return true;
  throw badParameter(name, 'true or false', value);
}

/** The operator whose token the request has. @throws Failure `bad-token`, `rate-limited` */
export const operatorFor = (headers: Headers, { operators, requestLimiter }: Operators): Promise<Operator> =>
  tokenHolder(headers, operators, { what: 'admin token', requestLimiter });

/** @throws Failure `forbidden` for an operator without the scope. `all` has every scope */
export function permit({ name, scopes }: Operator, scope: Scope): void {
  if (scopes.includes(scope) || scopes.includes('all')) return;
  const sentence = `The token of ${name} does not have the scope ${scope}, which this operation needs. Use a token that has it.`;
  throw new Failure('forbidden', sentence);
}

interface Expected<S extends z.ZodType> {
  /** A strict object, whose unknown members are refused by name. */
  readonly schema: S;
  /** The form of the body, for the error. */
  readonly what: string;
  readonly maxBytes: number;
}

/** @throws Failure `bad-parameter` for another body, `body-too-large` */
export async function jsonRequest<S extends z.ZodType>(request: Request, { schema, what, maxBytes }: Expected<S>) {
  const bytes = await requestBody(request, maxBytes);
  const { success, data, error } = schema.safeParse(parsedJson(bytes));
  if (success) return data;
  const [parameter] = error.issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));
  if (parameter === undefined) throw new Failure('bad-parameter', `The body has to be ${what}.`);
  throw new Failure('bad-parameter', `The body has no member ${shown(parameter)}. It is ${what}.`, {
    parameter: shown(parameter),
  });
}

const WHOLE_NUMBER = /^\d{1,15}$/;

/** A whole number from 1 on; `unset` without one. @throws Failure for another text */
export function numberOf(name: string, text: string | null | undefined, unset: number, most: number): number {
  if (!text) return unset;
  const value = WHOLE_NUMBER.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= most) return value;
  throw badParameter(name, `a whole number from 1 to ${most}`, text);
}

const entryJson = ({ id, atMs, ...entry }: AuditEntry) => ({ id, time: formatIso(atMs), ...entry });

/** Response: `{entries: [{id, time, operator, action, subject, imageId}], next}`; `next`: the `before` of the older ones, or null. */
export const auditRoute = operatorRoute('GET /admin/audit', 'all', async ({ services, url: { searchParams } }) => {
  const limit = numberOf('limit', searchParams.get('limit'), AUDIT.shownEntries, AUDIT.maxShownEntries);
  const before = numberOf('before', searchParams.get('before'), Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  const entries = await services.audit.list({ before, limit });
  const next = entries.length === limit ? entries.at(-1)!.id : null;
  return jsonResponse({ entries: entries.map(entryJson), next });
});
