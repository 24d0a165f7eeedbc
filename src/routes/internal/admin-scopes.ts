// Scopes of the admin operations: one table, from an operation to the scopes that a token must have for it.
import type { Context } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { Scope } from '../../config/settings/service.ts';
import { badParameter, Failure } from '../../domain/errors.ts';
import { type NamedToken, tokenHolder } from '../../http/credentials.ts';
import type { RateLimitBinding } from '../../ports/rate-limit.ts';

/** A holder of a token, and what it permits. */
export interface Operator extends NamedToken {
  readonly scopes: readonly Scope[];
}

/** Who may call the operations. */
export interface Operators {
  /** The holders of tokens; without any, the operations are disabled. */
  readonly operators: readonly Operator[];
  readonly requestLimiter: RateLimitBinding;
}

/** The scope that a replacement needs beside that of an ingest, because it withdraws the earlier image. */
const REPLACEMENT: Scope = 'withdraw';

/** Scopes by operation. `all` needs a token that has all. */
const ADMIN_SCOPES: Readonly<Record<string, Scope>> = {
  'GET /metrics': 'metrics',
  'GET /admin/images': 'ingest',
  'GET /admin/images/:name': 'ingest',
  'PUT /admin/images/:name': 'ingest',
  'DELETE /admin/images/:name': 'withdraw',
  'POST /admin/known': 'ingest',
  'GET /admin/objects': 'ingest',
  'POST /admin/objects': 'ingest',
  'POST /admin/coefficients': 'ingest',
  'GET /admin/rhessi': 'ingest',
  'POST /admin/rhessi': 'ingest',
  'GET /admin/ephemeris': 'ingest',
  'PUT /admin/ephemeris/:spacecraft': 'ingest',
  'DELETE /admin/ephemeris/:spacecraft': 'withdraw',
  'GET /admin/reconciliation': 'withdraw',
  'POST /admin/reconciliation': 'withdraw',
  'POST /admin/purge': 'withdraw',
  'POST /admin/mirror/sources': 'mirror',
  'POST /admin/mirror/step': 'mirror',
  'GET /admin/webhooks': 'webhooks',
  'POST /admin/webhooks': 'webhooks',
  'DELETE /admin/webhooks/:id': 'webhooks',
  'POST /admin/webhooks/:id/test': 'webhooks',
  'POST /admin/webhooks/:id/resume': 'webhooks',
  'GET /admin/dead-letters': 'all',
  'POST /admin/dead-letters': 'all',
  'POST /admin/statements': 'all',
  'GET /admin/audit': 'all',
  'PUT /admin/sample': 'all',
  'DELETE /admin/sample': 'all',
  'GET /admin/shards': 'all',
  'POST /admin/shards/:shard/:step': 'all',
};

const UPLOAD = 'PUT /admin/images/:name';

/** The operation of a request, among those of the table; undefined for others. */
function operationOf(c: Context): string | undefined {
  return matchedRoutes(c)
    .map(({ method, path }) => `${method} ${path}`)
    .find((operation) => operation in ADMIN_SCOPES);
}

/** Scopes that a request needs. A path without an operation needs all, so that a new one is closed until the table has it. */
function neededScopes(c: Context): readonly Scope[] {
  const operation = operationOf(c);
  if (operation === undefined) return ['all'];
  const scope = ADMIN_SCOPES[operation]!;
  return operation === UPLOAD && (flagOf(c, 'replace') || flagOf(c, 'restore')) ? [scope, REPLACEMENT] : [scope];
}

/** Whether an upload may replace an image, or restore a withdrawn one. @throws Failure for another value than true or false */
export function flagOf(c: Context, name: 'replace' | 'restore'): boolean {
  const value = c.req.query(name);
  if (value === undefined || value === '' || value === 'false') return false;
  if (value === 'true') return true;
  throw badParameter(name, 'true or false', value);
}

/**
 * The operator whose token the request has.
 * @throws Failure `bad-token`, `rate-limited`; `forbidden` for a token without the scope of the operation
 */
export async function operatorFor(c: Context, { operators, requestLimiter }: Operators): Promise<Operator> {
  const operator = await tokenHolder(c.req.raw.headers, operators, { what: 'admin token', requestLimiter });
  const { name, scopes } = operator;
  const missing = neededScopes(c).find((each) => !scopes.includes(each) && !scopes.includes('all'));
  if (missing === undefined) return operator;
  const sentence = `The token of ${name} does not have the scope ${missing}, which this operation needs. Use a token that has it.`;
  throw new Failure('forbidden', sentence);
}
