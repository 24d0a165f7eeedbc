// Differences between the objects of the archive and the rows of its index, and what is done about each kind.
import type { ListedImage } from '../../archive/ports.ts';

/**
 * `unindexed`: a file without a row; `missing`: a row without its file; `damaged`: a file with another length or hash than its row says,
 * or that cannot be an image; `old-sidecar`: of an older version of the format; `stray-sidecar`: of no image; `stray-record`: the record of
 * an id that has no row, or of an older version.
 */
export type FaultKind = 'unindexed' | 'missing' | 'damaged' | 'old-sidecar' | 'stray-sidecar' | 'stray-record';

export interface Fault {
  readonly kind: FaultKind;
  /** Path of the file in the archive; of a sidecar or a record, its own key. */
  readonly path: string;
  readonly sentence: string;
  /** `indexed`: a row was added; `withdrawn`: the row is withdrawn, so that the file can be ingested again; `quarantined`; `deleted`. */
  readonly mended: 'indexed' | 'withdrawn' | 'quarantined' | 'deleted' | null;
}

export type FoundFault = Omit<Fault, 'mended'> & {
  readonly key: string;
  readonly size: number;
  /** Number of objects or rows before it in its page. */
  readonly position: number;
  /** The row; null for objects without one. */
  readonly image: Pick<ListedImage, 'id' | 'fileName' | 'key' | 'sha256'> | null;
};

/** Walks in their order: files by key, rows by source and time, sidecars and records of images by key. */
export const WALKS = ['files', 'rows', 'sidecars', 'records'] as const;

/** A position in a reconciliation: `after` is a path, a source and a date, or the rest of a key; empty at the beginning of a walk. */
export type ReconciliationCursor = { readonly walk: (typeof WALKS)[number]; readonly after: string };

export const BEGINNING: ReconciliationCursor = { walk: 'files', after: '' };

/** The beginning of the walk after this one; null after the last. */
export function nextWalk({ walk }: ReconciliationCursor): ReconciliationCursor | null {
  const next = WALKS[WALKS.indexOf(walk) + 1];
  return next === undefined ? null : { walk: next, after: '' };
}
