// Operators, and the scopes that their tokens must have: each route of the admin operations states its own.

import type { RateLimitBinding } from '../../admission/rate-limit.ts';
import type { Scope } from '../../config/settings/service.ts';
import type { IngestResult } from '../../domain/archive/ingest-result.ts';
import { badParameter, Failure } from '../../domain/errors.ts';
import { type NamedToken, tokenHolder } from '../../http/credentials.ts';
import type { OperationContext } from '../../http/operation.ts';
import { type PathGroups, type Route, rowAt } from '../../http/request.ts';
import type { AuditAction, AuditLog } from '../../ports/audit.ts';
import type { RhessiFlares } from '../../ports/events.ts';
import type { ImageIndex, ResponseCaches } from '../../ports/images.ts';
import type { FoundObjects, ListedObject } from '../../ports/objects.ts';
import type { DeadLetter, Send } from '../../ports/queues.ts';
import type { StatementCount } from '../../ports/status.ts';
import type { Clock, Log } from '../../ports/timing.ts';
import type { StateTables } from '../../services/bodies/state-tables.ts';
import type { IndexingOptions, indexObjects } from '../../services/images/index-objects.ts';
import type { IngestedFile } from '../../services/images/ingest.ts';
import type { SampleProgressStore } from '../../services/images/sample-progress.ts';
import type { WithdrawalResult } from '../../services/images/withdraw.ts';
import type { CommandedResult, CommandedStep } from '../../services/mirror/mirror-step.ts';
import type { ReconciledStep, ReconciliationRequest, ReconciliationState } from '../../services/reconciliation/reconcile.ts';
import type { CoefficientRange, RangeProgress } from '../../services/rendering/coefficient-range.ts';
import type { Webhooks } from '../../services/webhooks/webhooks.ts';
import type { MemoryBudget } from '../../util/memory-budget.ts';

export interface Operator extends NamedToken {
  readonly scopes: readonly Scope[];
}

export interface Operators {
  /** The holders of tokens; without any, the operations are disabled. */
  readonly operators: readonly Operator[];
  readonly requestLimiter: RateLimitBinding;
}

/** Another archive, and how fast it may be asked. */
export interface CommandedUpstream {
  readonly kind: 'tree' | 'api';
  readonly address: string;
  readonly perSecond: number;
  readonly parallel: number;
}

export interface MirrorCommands {
  sources(upstream: CommandedUpstream): Promise<readonly number[]>;
  step(upstream: CommandedUpstream, step: CommandedStep): Promise<CommandedResult>;
}

export interface AdminServices extends Operators {
  readonly index: Pick<ImageIndex, 'byFileName' | 'extents'>;
  readonly objects: Pick<FoundObjects, 'list'>;
  readonly ingest: (file: IngestedFile) => Promise<IngestResult>;
  readonly withdraw: (fileName: string) => Promise<WithdrawalResult>;
  readonly indexObjects: (objects: readonly ListedObject[], options: IndexingOptions) => ReturnType<typeof indexObjects>;
  readonly reconcileStep: (step: ReconciliationRequest) => Promise<ReconciledStep>;
  readonly reconciliationState: () => Promise<ReconciliationState | null>;
  readonly flares: Pick<RhessiFlares, 'add' | 'count'>;
  readonly sample: SampleProgressStore;
  readonly stateTables: Pick<StateTables, 'list' | 'put' | 'delete'>;
  readonly makeCoefficients: (range: CoefficientRange) => Promise<RangeProgress>;
  /** The names among those given that the archive has, or has withdrawn. */
  readonly knownNames: (fileNames: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly mirrorCommands: MirrorCommands;
  readonly webhooks: Webhooks;
  readonly deadLetters: {
    letters(): Promise<readonly DeadLetter[]>;
    deadLetters(): Promise<number>;
    removeLetter(number: number): Promise<void>;
  };
  readonly send: Send;
  readonly audit: AuditLog;
  readonly caches: ResponseCaches;
  /** Runs more statements of D1 than an invocation is documented to have. */
  readonly runStatements: () => Promise<StatementCount>;
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
export interface Asked extends Pick<OperationContext<AdminServices>, 'services' | 'url'> {
  readonly request: Request;
  readonly groups: PathGroups;
  readonly operator: Operator;
  /** Notes a change, once. */
  readonly changed: (change: Change) => void;
}

/** The row of an admin operation, for operators with the scope, with its change in the log. An entry that cannot be stored goes to the other log. */
export const operatorRoute = (
  place: string,
  scope: Scope,
  handle: (asked: Asked) => Promise<Response>,
): Route<OperationContext<AdminServices>> => ({
  kind: 'operator',
  ...rowAt(place),
  async handle({ services, url, headers }, { groups }, request) {
    const operator = await operatorFor(headers, services);
    permit(operator, scope);
    const changes: Change[] = [];
    try {
      return await handle({ services, url, request, groups, operator, changed: (change) => changes.push(change) });
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
