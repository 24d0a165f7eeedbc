// Operators, and the scopes that their tokens must have: each route of the admin operations states its own.
import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { Scope } from '../../config/settings/service.ts';
import { badParameter, Failure } from '../../domain/errors.ts';
import { type NamedToken, tokenHolder } from '../../http/credentials.ts';
import type { AuditAction } from '../../ports/audit.ts';
import type { RateLimitBinding } from '../../ports/rate-limit.ts';

export interface Operator extends NamedToken {
  readonly scopes: readonly Scope[];
}

export interface Operators {
  /** The holders of tokens; without any, the operations are disabled. */
  readonly operators: readonly Operator[];
  readonly requestLimiter: RateLimitBinding;
}

export interface AdminVariables {
  Variables: {
    operator: Operator;
    /** The change that the request has made, for the log. Unset: none. */
    change?: { readonly action: AuditAction; readonly subject: string; readonly imageId?: number };
  };
}

/** Whether an upload may replace an image, or restore a withdrawn one. @throws Failure for another value than true or false */
export function flagOf(c: Context, name: 'replace' | 'restore'): boolean {
  const value = c.req.query(name);
  if (value === undefined || value === '' || value === 'false') return false;
  if (value === 'true') return true;
  throw badParameter(name, 'true or false', value);
}

/** The operator whose token the request has. @throws Failure `bad-token`, `rate-limited` */
export const operatorFor = (c: Context, { operators, requestLimiter }: Operators): Promise<Operator> =>
  tokenHolder(c.req.raw.headers, operators, { what: 'admin token', requestLimiter });

/** @throws Failure `forbidden` for an operator without the scope. `all` has every scope */
export function permit({ name, scopes }: Operator, scope: Scope): void {
  if (scopes.includes(scope) || scopes.includes('all')) return;
  const sentence = `The token of ${name} does not have the scope ${scope}, which this operation needs. Use a token that has it.`;
  throw new Failure('forbidden', sentence);
}

/** Passes on the requests of operators with the scope. */
export const needs = (scope: Scope) =>
  createMiddleware<AdminVariables>(async (c, next) => {
    permit(c.get('operator'), scope);
    await next();
  });
