// The log of changes by operators: GET /admin/audit lists the newest first. The admin routes state the changes that they make.
import { jsonResponse } from '../platform/http/response.ts';
import { AUDIT } from '../platform/limits/http.ts';
import { badParameter } from '../platform/util/errors.ts';
import { formatIso } from '../sun/time.ts';
import { operatorRoute } from './admin-scopes.ts';
import type { AuditEntry } from './d1-audit-log.ts';

const WHOLE_NUMBER = /^\d{1,15}$/;

/** A whole number from 1 on; `unset` without one. @throws Failure for another text */
export function numberOf(name: string, text: string | null | undefined, unset: number, most: number): number {
  if (!text) return unset;
  const value = WHOLE_NUMBER.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= most) return value;
  throw badParameter(name, `a whole number from 1 to ${most}`, text);
}

const entryJson = ({ id, atMs, operator, action, subject, imageId }: AuditEntry) => ({
  id,
  time: formatIso(atMs),
  operator,
  action,
  subject,
  imageId,
});

/** Response: `{entries: [{id, time, operator, action, subject, imageId}], next}`; `next`: the `before` of the older ones, or null. */
export const auditRoute = operatorRoute('GET /admin/audit', 'all', async ({ services, url: { searchParams } }) => {
  const limit = numberOf('limit', searchParams.get('limit'), AUDIT.shownEntries, AUDIT.maxShownEntries);
  const before = numberOf('before', searchParams.get('before'), Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  const entries = await services.audit.list({ before, limit });
  const next = entries.length === limit ? entries.at(-1)!.id : null;
  return jsonResponse({ entries: entries.map(entryJson), next });
});
