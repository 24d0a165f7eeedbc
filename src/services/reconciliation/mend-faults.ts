// Mends the faults that a reconciliation has found. Every step may be repeated.
import { UPLOAD } from '../../config/limits/images.ts';
import { MEMORY_WAIT_MS } from '../../config/limits/memory.ts';
import { quarantineKey, quarantineNoteKey } from '../../domain/archive/keys.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { formatIso } from '../../domain/time.ts';
import type { ListedObject, ObjectStore, WholeObject } from '../../ports/objects.ts';
import type { Clock } from '../../ports/timing.ts';
import { jsonBytes } from '../../util/bytes.ts';
import type { MemoryBudget } from '../../util/memory-budget.ts';
import type { IndexedObject } from '../images/index-objects.ts';
import type { WithdrawalResult } from '../images/withdraw.ts';
import type { Fault, FaultKind, FoundFault } from './faults.ts';

export interface MendingPorts {
  readonly objects: Pick<ObjectStore, 'put' | 'delete'> & {
    whole(key: string, maxBytes: number): Promise<WholeObject | null>;
  };
  readonly indexObjects: (objects: readonly ListedObject[]) => Promise<{ readonly results: readonly IndexedObject[] }>;
  readonly withdraw: (fileName: string, only: Pick<ArchivedImage, 'id' | 'key'>) => Promise<WithdrawalResult>;
  readonly memory: MemoryBudget;
  readonly clock: Clock;
}

/** Calls of R2 and D1 that mending a fault takes at most. A withdrawal takes about twenty. */
export const MENDING_CALLS: Readonly<Record<FaultKind, number>> = {
  unindexed: 25,
  missing: 25,
  damaged: 30,
  'old-sidecar': 1,
  'stray-sidecar': 1,
  'stray-record': 1,
};

const described = ({ kind, path, sentence }: FoundFault): Omit<Fault, 'mended'> => ({ kind, path, sentence });

/** A fault that is left as it is. */
export const reported = (found: FoundFault): Fault => ({ ...described(found), mended: null });

/** Mends a fault where that is possible. Null when the fault is gone. */
export async function mend(ports: MendingPorts, found: FoundFault): Promise<Fault | null> {
  switch (found.kind) {
    case 'unindexed':
      return mendUnindexed(ports, found);
    case 'missing':
      return (await isWithdrawn(ports, found)) ? { ...described(found), mended: 'withdrawn' } : reported(found);
    case 'damaged':
      if (!(await quarantine(ports, found, found.sentence))) return reported(found);
      return (await isWithdrawn(ports, found)) ? { ...described(found), mended: 'quarantined' } : reported(found);
    default:
      await ports.objects.delete(found.key);
      return { ...described(found), mended: 'deleted' };
  }
}

/** Withdraws the image of a fault, so that the archive takes a file of its name again. One that has replaced it meanwhile stays. */
async function isWithdrawn({ withdraw }: MendingPorts, { image }: FoundFault): Promise<boolean> {
  return image !== null && (await withdraw(image.fileName, image)).outcome === 'withdrawn';
}

/** Refusals that concern the file itself; the others concern its name or place, which its owner can change. */
const BROKEN: readonly unknown[] = ['malformed', 'unsupported', 'header', 'geometry', 'size'];

async function mendUnindexed(ports: MendingPorts, found: FoundFault): Promise<Fault | null> {
  const [result] = (await ports.indexObjects([{ key: found.key, size: found.size }])).results;
  const { outcome, reason, sentence = found.sentence } = result!;
  if (outcome === 'known' || outcome === 'missing' || outcome === 'busy') return null;
  if (outcome === 'added') return { ...described(found), mended: 'indexed' };
  if (reason === 'withdrawn') {
    await ports.objects.delete(found.key);
    return { ...described(found), mended: 'deleted' };
  }
  if (!BROKEN.includes(reason)) return { ...described(found), sentence, mended: null };
  const damage = { ...found, kind: 'damaged' as const, sentence };
  if (!(await quarantine(ports, damage, sentence))) return reported(damage);
  await ports.objects.delete(found.key);
  return { ...described(damage), mended: 'quarantined' };
}

/** Copies a file below `quarantine/`, with a note beside it. @returns false for a file that is longer than any image */
function quarantine(ports: MendingPorts, fault: FoundFault, reason: string): Promise<boolean> {
  const copy = () => copyToQuarantine(ports, fault, reason);
  return ports.memory.run(Math.min(fault.size, UPLOAD.bodyBytes), MEMORY_WAIT_MS.background, copy);
}

async function copyToQuarantine({ objects, clock }: MendingPorts, { key, image }: FoundFault, reason: string): Promise<boolean> {
  const file = await objects.whole(key, UPLOAD.bodyBytes);
  if (!file) return false;
  const note = {
    reason,
    at: formatIso(clock()),
    id: image?.id ?? null,
    bytes: file.bytes.length,
    sha256: file.sha256,
    expectedSha256: image?.sha256 ?? null,
  };
  await objects.put(quarantineKey(key), file.bytes, 'application/octet-stream');
  await objects.put(quarantineNoteKey(key), jsonBytes(note), 'application/json');
  return true;
}
