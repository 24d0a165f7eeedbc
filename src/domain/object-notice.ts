// Event notifications of R2, as their queue delivers them.

export interface ObjectNotice {
  /** Whether the object was written, by a put, a copy or a multipart upload; otherwise it was deleted. */
  readonly isWritten: boolean;
  readonly key: string;
  /** Bytes; 0 for a deleted object. */
  readonly size: number;
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
  return typeof key === 'string' && typeof size === 'number' ? { isWritten, key, size } : null;
}
