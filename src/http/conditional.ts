// Conditional requests: RFC 9110, section 13.

interface Validators {
  /** Strong, quoted. */
  readonly etag: string;
  /** Absent for responses whose content changes without a date of its own, as "the nearest image". */
  readonly lastModifiedMs?: number | undefined;
}

const ENTITY_TAGS = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}

/** If-None-Match compares weakly: `W/"a"` and `"a"` are the same (section 8.8.3.2). */
function matchesNone(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  return (header.match(ENTITY_TAGS) ?? []).some((tag) => opaque(tag) === etag);
}

/** HTTP dates have a resolution of one second. */
function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/** Whether the client's copy is current, so that the response is 304. If-None-Match takes precedence over If-Modified-Since. */
export function isNotModified(headers: Headers, { etag, lastModifiedMs }: Validators): boolean {
  const ifNoneMatch = headers.get('If-None-Match');
  if (ifNoneMatch !== null) return matchesNone(ifNoneMatch, etag);
  const sinceMs = Date.parse(headers.get('If-Modified-Since') ?? '');
  return lastModifiedMs !== undefined && wholeSeconds(lastModifiedMs) <= wholeSeconds(sinceMs);
}

/** Whether a Range header applies: there is no If-Range, or it matches this representation (section 13.1.5). */
export function rangeApplies(headers: Headers, { etag, lastModifiedMs }: Validators): boolean {
  const ifRange = headers.get('If-Range')?.trim();
  if (ifRange === undefined) return true;
  if (ifRange.startsWith('"') || ifRange.startsWith('W/')) return ifRange === etag;
  return lastModifiedMs !== undefined && wholeSeconds(Date.parse(ifRange)) === wholeSeconds(lastModifiedMs);
}
