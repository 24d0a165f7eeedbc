// Event notifications of R2, as their queue delivers them.

export interface ObjectNotice {
  /** Whether the object was written, by a put, a copy or a multipart upload; otherwise it was deleted. */
  readonly isWritten: boolean;
  readonly key: string;
  /** Bytes; 0 for a deleted object. */
  readonly size: number;
  /** Time of the event; null when the message does not say. */
  readonly writtenAtMs: number | null;
}

const WRITTEN: readonly unknown[] = ['PutObject', 'CopyObject', 'CompleteMultipartUpload'];
const DELETED: readonly unknown[] = ['DeleteObject', 'LifecycleDeletion'];

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

/** The notice in the body of a message; null for other messages. */
export function parseObjectNotice(body: unknown): ObjectNotice | null {
  if (!isRecord(body) || !isRecord(body.object)) return null;
  const isWritten = WRITTEN.includes(body.action);
  if (!isWritten && !DELETED.includes(body.action)) return null;
  const { key, size = 0 } = body.object;
  if (typeof key !== 'string' || typeof size !== 'number') return null;
  const writtenAtMs = typeof body.eventTime === 'string' ? Date.parse(body.eventTime) : Number.NaN;
  return { isWritten, key, size, writtenAtMs: Number.isNaN(writtenAtMs) ? null : writtenAtMs };
}
