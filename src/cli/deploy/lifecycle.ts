// Lifecycle rules of the bucket: expiry of objects that are made again on request, and the end of abandoned multipart uploads.
import { EXPIRY_DAYS } from '../../domain/archive/keys.ts';

interface Rule {
  readonly name: string;
  /** Empty for all keys. */
  readonly prefix: string;
  /** Options of `wrangler r2 bucket lifecycle add`. */
  readonly options: readonly string[];
  readonly meaning: string;
}

/** Days after which a multipart upload ends that was not completed: an attempt at a movie takes minutes. */
const ABANDONED_UPLOAD_DAYS = 1;

export const LIFECYCLE_RULES: readonly Rule[] = [
  ...Object.entries(EXPIRY_DAYS).map(([prefix, days]) => ({
    name: `helioedge-${prefix.replace(/\/$/, '').replaceAll('/', '-')}`,
    prefix,
    options: ['--expire-days', String(days)],
    meaning: `files below ${prefix} expire after ${days} days`,
  })),
  {
    name: 'helioedge-multipart',
    prefix: '',
    options: ['--abort-multipart-days', String(ABANDONED_UPLOAD_DAYS)],
    meaning: `multipart uploads end after ${ABANDONED_UPLOAD_DAYS} day`,
  },
];

/** Adds missing rules only, because operators may have changed the others. */
export async function ensureLifecycle(
  wrangler: (args: readonly string[]) => Promise<string>,
  bucket: string,
  say: (line: string) => void,
): Promise<void> {
  const command = ['r2', 'bucket', 'lifecycle'];
  const present = new Set((await wrangler([...command, 'list', bucket])).split(/[\s,|│]+/));
  for (const { name, prefix, options, meaning } of LIFECYCLE_RULES) {
    if (present.has(name)) continue;
    say(meaning);
    await wrangler([...command, 'add', bucket, name, ...(prefix ? [prefix] : []), ...options, '--force']);
  }
}
