// Adds a JP2 file to the archive, replaces one, or withdraws one. Objects are written before the row, so that a row never points to a missing
// object. The journal records the objects that an interrupted upload or replacement leaves; the next attempt reuses them, or the
// sweep removes them.
import type { PartA } from '../../jp2/coefficients/format.ts';
import { SETTLED_AFTER_MS } from '../../platform/limits/images.ts';
import type { ObjectMetadata } from '../../platform/storage/r2-object-store.ts';
import { sha256Hex } from '../../platform/util/bytes.ts';
import type { ArchivedImage, NewImage, WithdrawnImage } from '../../sun/image.ts';
import { formatIso } from '../../sun/time.ts';
import type { D1ImageRegister } from '../image-index/d1-image-register.ts';
import type { D1Withdrawals, WithdrawnFile } from '../image-index/d1-withdrawals.ts';
import { folderOf, jp2Key, sidecarKey, versionFolder, versionOf } from '../keys.ts';
import type { Coefficients } from '../reading/coefficients.ts';
import { describeJp2, refused } from './describe-jp2.ts';
import type { IngestResult, RefusedFile } from './ingest-result.ts';
import type { inspectJp2 } from './inspect-jp2.ts';
import { completeAdded, type RemovalPorts, removeWithdrawn } from './remove-withdrawn.ts';
import { idMetadata, metadataOf, statedIds, stateIds } from './stated-ids.ts';

export interface IngestPorts extends RemovalPorts {
  readonly register: D1ImageRegister;
  readonly withdrawals: D1Withdrawals;
  readonly inspect: typeof inspectJp2;
  /** Makes part A of the coefficient sidecar. Its failures do not affect the ingest. */
  readonly coefficients: Pick<Coefficients, 'makeFirst'>;
  /** Counts the bytes of the image, which confirms its law. Its failures do not affect the ingest. */
  readonly surveys: { makeFirst(image: ArchivedImage, sidecar: Uint8Array, jp2: Uint8Array, partA: PartA | null): Promise<void> };
}

export interface IngestedFile {
  readonly fileName: string;
  readonly jp2: Uint8Array;
  /** Whether it replaces an image with other content under its name. */
  readonly replace: boolean;
  /** Whether it is added although an operator has withdrawn its content, which lifts the withdrawal. */
  readonly restore?: boolean;
  /** Whether its name gets no image after an operator has withdrawn the one that had it. */
  readonly keepsWithdrawn?: boolean;
}

/** Adds or replaces an image; idempotent. A new version has an id and a key of its own. Withdrawn content is refused unless restored. */
export async function ingest(ports: IngestPorts, file: IngestedFile): Promise<IngestResult> {
  const { fileName, jp2, replace, restore, keepsWithdrawn } = file;
  const sha256 = await sha256Hex(jp2);
  const [present, versions, recorded, withdrawals] = await Promise.all([
    ports.index.byFileName(fileName),
    ports.index.withdrawnByFileName(fileName),
    ports.withdrawals.ofNames([fileName]),
    ports.withdrawals.ofContents([sha256]),
  ]);
  const [withdrawn] = versions;
  // An image that was withdrawn between the reads has its record now.
  const isGone = !present && withdrawn?.sha256 === sha256;
  const withdrawal = (isGone ? await ports.withdrawals.ofContents([sha256]) : withdrawals).get(sha256);
  const isKnown = present?.sha256 === sha256;
  if (present && !isKnown && !replace) return conflictingContent(fileName);
  if (withdrawal && !restore) return withdrawnContent(withdrawal);
  if (isKnown) return known(ports, file, present, withdrawn);
  if (keepsWithdrawn && recorded[0]) return withdrawnContent(recorded[0]);
  // A restored database does not know the versions that were withdrawn since then.
  const earlier = [...(present ? [present] : []), ...versions, ...recorded].map(({ key }) => versionOf(key));
  const version = 1 + Math.max(0, ...earlier);
  const described = await describeJp2({ fileName, jp2, sha256, version }, ports.inspect, ports.clock());
  if ('outcome' in described) return described;
  const { image, inspected } = described;
  if (present && present.sourceId !== image.sourceId) return otherSource(present, image);
  const stored = await store(ports, { image, file, sidecar: inspected.sidecar, replaced: present });
  return inspected.warning && stored.outcome === 'added' ? { ...stored, warning: inspected.warning } : stored;
}

/**
 * An upload of what the archive has, which completes one that was broken off after its row. Statements of a change that was broken off may still
 * come: after `begin` the record of a withdrawal is refused, and after `overtake` the row of a replacement. Where a withdrawal of the present row is
 * recorded, which may therefore go at any time, a restoration gets a row of its own.
 */
async function known(
  ports: IngestPorts,
  file: IngestedFile,
  present: ArchivedImage,
  replaced?: WithdrawnImage,
): Promise<IngestResult> {
  const { journal, objects, records } = ports;
  const { fileName, restore } = file;
  const { key, sha256 } = present;
  if (!(await objects.head(key))) return withoutFile(fileName);
  const begun = await journal.begin({ key, fileName });
  if (begun === null) return beingRemoved(fileName);
  if (begun.isContinued) {
    await ports.register.overtake(present);
    if ((await ports.index.byFileName(fileName))?.key !== key) return ingest(ports, file);
  }
  const [withdrawals, recorded] = await Promise.all([
    ports.withdrawals.ofContents([sha256]),
    ports.withdrawals.ofNames([fileName]),
  ]);
  const withdrawal = withdrawals.get(sha256);
  if (withdrawal && !restore) return withdrawnContent(withdrawal);
  if (recorded.some((file) => file.key === key)) {
    const removed = await withdraw(ports, fileName, present);
    return removed.outcome === 'withdrawn' ? ingest(ports, file) : beingRemoved(fileName);
  }
  if (withdrawal) await ports.withdrawals.lift(withdrawal);
  const isLeft = replaced && replaced.sha256 !== sha256 && (await journal.recorded([replaced.key])).has(replaced.key);
  if (isLeft) await removeWithdrawn(ports, replaced);
  if (begun.isContinued) {
    await completeAdded(ports, present);
    if (isEarlierDay(present, ports.clock())) await journal.leaveFolders([key]);
  } else {
    await records.write(present);
    await journal.end(key, begun.atMs);
  }
  return { outcome: 'known', image: present };
}

/** The JP2 and its sidecar. */
const OBJECTS = 2;

interface NewFile {
  readonly image: NewImage;
  readonly file: IngestedFile;
  readonly sidecar: Uint8Array;
  /** Image to withdraw in its favour. */
  readonly replaced: ArchivedImage | null;
}

async function store(ports: IngestPorts, added: NewFile): Promise<IngestResult> {
  const { image, file, sidecar, replaced } = added;
  const { jp2, restore } = file;
  const { journal, objects, register, clock } = ports;
  const { fileName } = image;
  // The replaced image as well, so that the sweep removes its objects if this request ends before it does.
  if (replaced && (await journal.begin({ key: replaced.key, fileName })) === null) return beingRemoved(fileName);
  const begin = () => journal.begin({ key: image.key, fileName });
  const begun = await begin();
  if (begun === null) return beingRemoved(fileName);
  const { atMs: begunAtMs, isContinued } = begun;
  const created: string[] = [];
  const create = async (key: string, body: Uint8Array, contentType: string, metadata?: ObjectMetadata) => {
    const outcome = await objects.create(key, body, contentType, metadata);
    if (outcome === 'created') created.push(key);
    return outcome !== 'different';
  };
  // The sweep deletes objects that another upload has found there, or may still be writing. It needs a record of them.
  const undo = async () => {
    const takenAtMs = created.length < OBJECTS || isContinued ? null : await journal.take(image.key, begunAtMs);
    if (takenAtMs === null) return void (await begin());
    await Promise.all(created.map((key) => objects.delete(key)));
    await journal.end(image.key, takenAtMs);
  };

  const reservedId = await register.reserve(image);
  const written =
    (await create(image.key, jp2, 'image/jp2', idMetadata(reservedId))) &&
    (await create(sidecarKey(image.key, ports.sidecarVersion), sidecar, 'application/octet-stream'));
  if (!written) {
    // An upload that began later may have ended the record of what this one has created.
    if (created.length > 0) await undo();
    if (versionOf(image.key) > 1) return conflictingContent(fileName);
    // The first version has a key without a hash: an interrupted upload of other content has it until the sweep removes its objects.
    const key = jp2Key(versionFolder(folderOf(image.key), 2, image), fileName);
    return store(ports, { ...added, image: { ...image, key } });
  }
  const metadata = created.includes(image.key) ? null : ((await metadataOf(objects, image.key)) ?? {});
  const ofFile = metadata ? (await statedIds(objects, [{ ...image, metadata }])).get(image.key) : undefined;
  // No image has had the id of an upload that ended before its row, which may be behind what webhooks have been told.
  const isFree = isContinued && ofFile !== undefined && !(await ports.records.idsOf(image)).includes(ofFile);
  const statedId = isFree ? undefined : ofFile;
  const registered = await register.add(
    { ...image, statedId },
    replaced && { id: replaced.id, lostIds: await ports.records.idsOf(replaced), atMs: clock() },
    reservedId,
  );
  if (registered.outcome === 'added' && registered.image.id !== (ofFile ?? reservedId))
    await stateIds(objects, [registered.image]);
  // The content may be archived under another key since this upload began.
  const isUnused = registered.outcome === 'conflict' || registered.image.key !== image.key;
  if (isUnused) await undo();
  if (registered.outcome === 'known') return known(ports, file, registered.image);
  if (registered.outcome === 'conflict') return { outcome: 'conflict', sentence: registered.sentence };
  await ports.records.write(registered.image);
  // Read after the row: while another image has the content, none is added with it.
  const withdrawal = (await ports.withdrawals.ofContents([image.sha256], [registered.image.key])).get(image.sha256);
  // What an upload has replaced cannot be brought back.
  if (withdrawal && (restore || replaced)) await ports.withdrawals.lift(withdrawal);
  else if (withdrawal) {
    const removed = await withdraw(ports, fileName, registered.image);
    return removed.outcome === 'busy' ? removed : withdrawnContent(withdrawal);
  }
  if (replaced) await removeWithdrawn(ports, replaced);
  await (isEarlierDay(image, clock()) ? journal.endOfEarlierDay(image.key, begunAtMs) : journal.end(image.key, begunAtMs));
  const partA = await ports.coefficients.makeFirst(registered.image, sidecar, jp2);
  await ports.surveys.makeFirst(registered.image, sidecar, jp2, partA);
  return replaced ? { ...registered, replacedId: replaced.id } : registered;
}

/** Whether an image is so old that responses with the nearest image of its time may be kept for a day (`NearestImage.isSettled`). */
export const isEarlierDay = ({ takenAtMs }: Pick<NewImage, 'takenAtMs'>, nowMs: number): boolean =>
  takenAtMs < nowMs - SETTLED_AFTER_MS;

const busy = (sentence: string) => ({ outcome: 'busy' as const, sentence });

const beingRemoved = (fileName: string) =>
  busy(`The objects of an earlier upload of ${fileName} are being removed. Try again in a few seconds.`);

const beingChanged = (fileName: string) => busy(`Another request changes ${fileName}. Try again in a few seconds.`);

/** For a row that a restored database has brought back. */
const withoutFile = (fileName: string): IngestResult => ({
  outcome: 'conflict',
  sentence: `The index has ${fileName}, but its file is missing. Ingest it again once npm run reconcile -- --mend has withdrawn it.`,
});

export function withdrawnContent({ fileName, atMs }: WithdrawnFile): RefusedFile {
  const sentence =
    `This file was withdrawn as ${fileName} at ${formatIso(atMs)}. To bring it back, add ?restore=true, or --restore to ` +
    'npm run ingest.';
  return refused('withdrawn', sentence);
}

const conflictingContent = (fileName: string): IngestResult => ({
  outcome: 'conflict',
  sentence: `${fileName} is archived with other content. Add ?replace=true to replace it.`,
});

function otherSource({ fileName, sourceId }: ArchivedImage, image: NewImage): IngestResult {
  const sentence =
    `${fileName} is an image of source ${sourceId} and cannot be replaced by one of source ${image.sourceId}. ` +
    'Withdraw it first.';
  return { outcome: 'conflict', sentence };
}

export type WithdrawalResult =
  | { readonly outcome: 'withdrawn'; readonly image: WithdrawnImage }
  /** The archive has never had an image of this name, or the one that was meant is not of this name. */
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'busy'; readonly sentence: string };

/**
 * Withdraws the image of a file name. Idempotent: without one, completes the removal of the image of this name that was withdrawn
 * last. The file does not come back unless an operator restores it. The row goes first, and the journal records the objects, so that the sweep removes what an interrupted request leaves.
 * @param only Withdraws no other image that has the name meanwhile
 * @param isLost Whether the file of the image is lost, and may come back: it is meant because of its file, not because of its name
 */
export async function withdraw(
  ports: IngestPorts,
  fileName: string,
  only?: Pick<ArchivedImage, 'id' | 'key'>,
  isLost = false,
): Promise<WithdrawalResult> {
  const isMeant = (image: Pick<ArchivedImage, 'id' | 'key'>) => !only || (image.id === only.id && image.key === only.key);
  const named = await ports.index.byFileName(fileName);
  const overtaken = only ? null : (named ?? (await ports.index.withdrawnByFileName(fileName))[0]);
  if (overtaken) await ports.register.overtake(overtaken);
  const present = overtaken ? await ports.index.byFileName(fileName) : named;
  if (present && isMeant(present)) {
    const { key, sha256 } = present;
    const begun = await ports.journal.begin({ key, fileName });
    if (begun === null) return beingRemoved(fileName);
    const isRecorded = isLost || (await ports.withdrawals.record({ key, fileName, sha256, atMs: ports.clock() }, begun.atMs));
    if (!isRecorded) return beingChanged(fileName);
    // Another file of the content, which keeps its id, may be there where this one is lost.
    const lostIds = isLost ? [] : await ports.records.idsOf(present);
    // The time after the record: an index that did not see this one adds no row of the content (`checkedAtMs`).
    await ports.register.withdraw({ id: present.id, lostIds, atMs: ports.clock() });
  }
  const image = (await ports.index.withdrawnByFileName(fileName)).find(isMeant);
  if (!image) return { outcome: 'unknown' };
  if (!only && image.replacedBy !== null) return beingChanged(fileName);
  await removeWithdrawn(ports, image);
  return { outcome: 'withdrawn', image };
}
