// The log of changes by operators.

export type AuditAction =
  | 'ingest'
  | 'replace'
  | 'restore'
  | 'withdraw'
  | 'import-flares'
  | 'import-ephemeris'
  | 'remove-ephemeris'
  | 'index-objects'
  | 'mirror'
  | 'make-coefficients'
  | 'begin-sample'
  | 'end-sample'
  | 'mend'
  | 'purge'
  | 'add-webhook'
  | 'remove-webhook'
  | 'resume-webhook'
  | 'replay';

export interface AuditEntry {
  /** Ascends with the time. */
  readonly id: number;
  readonly atMs: number;
  /** Name of the token's holder. */
  readonly operator: string;
  readonly action: AuditAction;
  /** File name of an image, name of a spacecraft, numbers and paths of images, or number of a webhook with its address; may be empty. */
  readonly subject: string;
  /** The new image, or the withdrawn one; null for other actions. */
  readonly imageId: number | null;
}

export interface AuditLog {
  add(entry: Omit<AuditEntry, 'id'>): Promise<void>;
  /** The newest entries first, at most `limit`, with ids below `before`. */
  list(page: { readonly before: number; readonly limit: number }): Promise<readonly AuditEntry[]>;
  /** Deletes entries before then, and the oldest above `most`; returns their number. */
  sweep(beforeMs: number, most: number): Promise<number>;
}
