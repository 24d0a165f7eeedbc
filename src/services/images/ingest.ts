// Adds a JP2 file to the archive, or replaces one. Objects are written before the row, so that a row never points to a missing
// object. The journal records the objects that an interrupted upload or replacement leaves; the next attempt reuses them, or the
// sweep removes them.
import type { ArchivedImage } from '../../domain/image.ts';
import type { ImageRegister } from '../../ports/images.ts';
import type { Clock } from '../../ports/timing.ts';
import { jp2Key, sidecarKey, versionFolder, versionOf } from '../../storage/keys.ts';
import { sha256Hex } from '../../util/digest.ts';
import { describeJp2, Refusal, type RefusalReason, refuseCodestream } from './describe-jp2.ts';
import type { inspectJp2 } from './inspect-jp2.ts';
import { type RemovalPorts, removeWithdrawn } from './remove-withdrawn.ts';

export interface IngestPorts extends RemovalPorts {
  readonly register: ImageRegister;
  readonly inspect: typeof inspectJp2;
  /** Makes part A of the coefficient sidecar. Its failures do not affect the ingest. */
  readonly coefficients: { makeFirst(image: ArchivedImage, sidecar: Uint8Array, jp2: Uint8Array): Promise<void> };
  readonly clock: Clock;
}

export type IngestResult =
  | { readonly outcome: 'added' | 'known'; readonly image: ArchivedImage; readonly replacedId?: number }
  /** The archive has different content under this file name, or another image of the source at this time. */
  | { readonly outcome: 'conflict'; readonly sentence: string }
  | { readonly outcome: 'refused'; readonly reason: RefusalReason; readonly sentence: string }
  /** The objects of an earlier attempt are being removed; a retry succeeds within seconds. */
  | { readonly outcome: 'busy'; readonly sentence: string };

type NewImage = Omit<ArchivedImage, 'id'>;

/** File to ingest. */
export interface IngestedFile {
  /** Name in the archive. */
  readonly fileName: string;
  /** The complete file. */
  readonly jp2: Uint8Array;
  /** Whether it replaces an image with other content under its name. */
  readonly replace: boolean;
}

/** Adds or replaces an image. Idempotent for the same content. A new version has an id and a key of its own. */
export async function ingest(ports: IngestPorts, { fileName, jp2, replace }: IngestedFile): Promise<IngestResult> {
  const sha256 = await sha256Hex(jp2);
  const [present, [withdrawn]] = await Promise.all([ports.index.byFileName(fileName), ports.index.withdrawnByFileName(fileName)]);
  if (present?.sha256 === sha256) {
    await ports.facts.write(present);
    return { outcome: 'known', image: present };
  }
  if (present && !replace) return conflictingContent(fileName);
  const earlier = present ?? withdrawn;
  const version = earlier ? versionOf(earlier.key) + 1 : 1;
  try {
    const { sidecar, ...inspected } = await ports.inspect(jp2).catch(refuseCodestream);
    const { folder, ...described } = describeJp2(inspected, { fileName, nowMs: ports.clock() });
    const key = jp2Key(versionFolder(folder, version, { sha256 }), fileName);
    const image = { ...described, fileName, key, byteLength: jp2.length, sha256 };
    if (present && present.sourceId !== image.sourceId) return otherSource(present, image);
    return await store(ports, { image, jp2, sidecar, replaced: present });
  } catch (error) {
    if (error instanceof Refusal) return { outcome: 'refused', reason: error.reason, sentence: error.message };
    throw error;
  }
}

interface NewFile {
  readonly image: NewImage;
  readonly jp2: Uint8Array;
  readonly sidecar: Uint8Array;
  /** Image to withdraw in its favour. */
  readonly replaced: ArchivedImage | null;
}

async function store(ports: IngestPorts, { image, jp2, sidecar, replaced }: NewFile): Promise<IngestResult> {
  const { journal, objects, register, clock } = ports;
  const { fileName } = image;
  // The replaced image as well, so that the sweep removes its objects if this request ends before it does.
  for (const { key } of replaced ? [replaced, image] : [image]) {
    if (!(await journal.begin({ key, fileName }))) return beingRemoved(fileName);
  }
  const created: string[] = [];
  const create = async (key: string, body: Uint8Array, contentType: string) => {
    const outcome = await objects.create(key, body, contentType);
    if (outcome === 'created') created.push(key);
    return outcome !== 'different';
  };
  const undo = () => Promise.all(created.map((key) => objects.delete(key)));

  const written =
    (await create(image.key, jp2, 'image/jp2')) &&
    (await create(sidecarKey(image.key, ports.sidecarVersion), sidecar, 'application/octet-stream'));
  if (!written) {
    await undo();
    return conflictingContent(fileName);
  }
  const registered = await register.add(image, replaced && { id: replaced.id, atMs: clock() });
  if (registered.outcome === 'conflict') await undo();
  else await ports.facts.write(registered.image);
  if (replaced && registered.outcome === 'added') await removeWithdrawn(ports, replaced);
  await journal.end(image.key);
  if (registered.outcome === 'added') await ports.coefficients.makeFirst(registered.image, sidecar, jp2);
  if (registered.outcome === 'conflict') return { outcome: 'conflict', sentence: registered.reason };
  return { outcome: registered.outcome, image: registered.image, ...(replaced ? { replacedId: replaced.id } : {}) };
}

/** For a file whose objects the sweep is removing. */
export function beingRemoved(fileName: string): { readonly outcome: 'busy'; readonly sentence: string } {
  return {
    outcome: 'busy',
    sentence: `The objects of an earlier upload of ${fileName} are being removed. Try again in a few seconds.`,
  };
}

function conflictingContent(fileName: string): IngestResult {
  return { outcome: 'conflict', sentence: `${fileName} is archived with other content. Add ?replace=true to replace it.` };
}

function otherSource({ fileName, sourceId }: ArchivedImage, image: NewImage): IngestResult {
  const sentence =
    `${fileName} is an image of source ${sourceId} and cannot be replaced by one of source ${image.sourceId}. ` +
    'Withdraw it first.';
  return { outcome: 'conflict', sentence };
}
