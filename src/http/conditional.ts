// Conditional requests: RFC 9110, section 13.

interface Validators {
  /** Strong, quoted. */
  readonly etag: string;
  /** Absent where the answer's own history says nothing, as for "the nearest image". */
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

/** HTTP dates have whole seconds. */
function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/** True when the client's copy is good and the answer is 304. If-Modified-Since counts only without If-None-Match. */
export function isNotModified(headers: Headers, { etag, lastModifiedMs }: Validators): boolean {
  const ifNoneMatch = headers.get('If-None-Match');
  if (ifNoneMatch !== null) return matchesNone(ifNoneMatch, etag);
  const sinceMs = Date.parse(headers.get('If-Modified-Since') ?? '');
  return lastModifiedMs !== undefined && wholeSeconds(lastModifiedMs) <= wholeSeconds(sinceMs);
}

/** True when a Range may be answered: no If-Range, or one that names exactly this representation (section 13.1.5). */
export function rangeApplies(headers: Headers, { etag, lastModifiedMs }: Validators): boolean {
  const ifRange = headers.get('If-Range')?.trim();
  if (ifRange === undefined) return true;
  if (ifRange.startsWith('"') || ifRange.startsWith('W/')) return ifRange === etag;
  return lastModifiedMs !== undefined && wholeSeconds(Date.parse(ifRange)) === wholeSeconds(lastModifiedMs);
}
