// The notification of the bucket: JP2 files that are written below the prefix of the archive are reported to a queue.
import { imagePrefix } from '../../domain/archive/keys.ts';
import { ProgramError } from '../run.ts';
import type { Wrangler } from './wrangler.ts';

/** Adds the notification unless the bucket has one for the queue. */
export async function ensureNotification(
  wrangler: Wrangler,
  { bucket, queue }: { readonly bucket: string; readonly queue: string },
  say: (line: string) => void,
): Promise<void> {
  const command = ['r2', 'bucket', 'notification'];
  // Fails for a bucket that never had a notification.
  const present = await wrangler([...command, 'list', bucket]).catch((error: unknown) => {
    if (error instanceof ProgramError) return '';
    throw error;
  });
  if (present.includes(queue)) return;
  say(`files that are written to ${bucket} are indexed`);
  const filter = ['--prefix', imagePrefix(''), '--suffix', '.jp2'];
  await wrangler([...command, 'create', bucket, '--event-type', 'object-create', '--queue', queue, ...filter]);
}
