// Adds a JP2 file to the archive, or replaces one. Objects are written before the row, so that a row never points to a missing
// object. The journal records the objects that an interrupted upload or replacement leaves; the next attempt reuses them, or the
// sweep removes them.
import { archiveDirectory } from '../../domain/catalogue/datasource.ts';
import { identifySource } from '../../domain/catalogue/identify.ts';
import { findSource } from '../../domain/catalogue/sources.ts';
import { GeometryError, imageGeometry } from '../../domain/geometry.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { formatIso, observationTime } from '../../domain/time.ts';
import { Jp2Error } from '../../imaging/jp2/errors.ts';
import { parseXmlHeader } from '../../imaging/jp2/xml-header.ts';
import type { ImageRegister } from '../../ports/images.ts';
import type { Clock } from '../../ports/timing.ts';
import { jp2Key, sidecarKey, versionFolder, versionOf } from '../../storage/keys.ts';
import { sha256Hex } from '../../util/digest.ts';
import { DAY_MS } from '../../util/durations.ts';
import type { inspectJp2 } from './inspect-jp2.ts';
import { type RemovalPorts, removeWithdrawn } from './remove-withdrawn.ts';

/** Largest plausible clock error of an observatory; an image dated later would remain the newest one permanently. */
const FUTURE_TOLERANCE_MS = DAY_MS;

/** The oldest images in the catalogue date from 1991. */
const EARLIEST_MS = Date.UTC(1990, 0, 1);

export interface IngestPorts extends RemovalPorts {
  readonly register: ImageRegister;
  readonly inspect: typeof inspectJp2;
  /** Makes part A of the coefficient sidecar. Its failures do not affect the ingest. */
  readonly coefficients: { makeFirst(image: ArchivedImage, sidecar: Uint8Array, jp2: Uint8Array): Promise<void> };
  readonly clock: Clock;
}

/** Why a file is refused. */
export type RefusalReason = 'malformed' | 'unsupported' | 'too-large' | 'header' | 'datasource' | 'date' | 'geometry' | 'size';

export type IngestResult =
  | { readonly outcome: 'added' | 'known'; readonly image: ArchivedImage; readonly replacedId?: number }
  /** The archive has different content under this file name, or another image of the source at this time. */
  | { readonly outcome: 'conflict'; readonly sentence: string }
  | { readonly outcome: 'refused'; readonly reason: RefusalReason; readonly sentence: string }
  /** The objects of an earlier attempt are being removed; a retry succeeds within seconds. */
  | { readonly outcome: 'busy'; readonly sentence: string };

type NewImage = Omit<ArchivedImage, 'id'>;

class Refusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, sentence: string) {
    super(sentence);
    this.reason = reason;
  }
}

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
    const { image, sidecar } = await describe(ports, { fileName, jp2, sha256, version });
    if (present && present.sourceId !== image.sourceId) return otherSource(present, image);
    return await store(ports, { image, jp2, sidecar, replaced: present });
  } catch (error) {
    if (error instanceof Refusal) return { outcome: 'refused', reason: error.reason, sentence: error.message };
    throw error;
  }
}

async function describe(
  ports: IngestPorts,
  {
    fileName,
    jp2,
    sha256,
    version,
  }: Pick<IngestedFile, 'fileName' | 'jp2'> & { readonly sha256: string; readonly version: number },
): Promise<{ image: NewImage; sidecar: Uint8Array }> {
  const inspected = await ports.inspect(jp2).catch((error: unknown) => {
    throw error instanceof Jp2Error ? new Refusal(error.kind, error.message) : error;
  });
  const header = parseXmlHeader(inspected.xml);
  if (!header) throw new Refusal('header', 'Expected an XML box with <meta> and <fits> in the file, got none that is readable.');
  const identified = identifySource(header, fileName);
  if ('refusal' in identified) throw new Refusal('datasource', identified.refusal);
  const takenAtMs = takenAt(header.fits, ports.clock());
  const geometry = geometryOf(header.fits);
  if (geometry.width !== inspected.width || geometry.height !== inspected.height) {
    const named = `${geometry.width}x${geometry.height}`;
    const coded = `${inspected.width}x${inspected.height}`;
    throw new Refusal('size', `Expected the ${coded} pixels of the codestream for NAXIS1 and NAXIS2, got ${named}.`);
  }
  const { sourceId } = identified;
  const folder = archiveDirectory(findSource(sourceId)!, takenAtMs, fileName);
  const key = jp2Key(versionFolder(folder, version, { sha256 }), fileName);
  const image = { sourceId, takenAtMs, fileName, key, byteLength: jp2.length, sha256, geometry };
  return { image, sidecar: inspected.sidecar };
}

function takenAt(fits: ReadonlyMap<string, string>, nowMs: number): number {
  const takenAtMs = observationTime(fits);
  if (takenAtMs === null)
    throw new Refusal('date', 'Expected a date with a time of day for DATE-OBS, got none that is readable.');
  if (takenAtMs < EARLIEST_MS) {
    throw new Refusal('date', `Expected a date after 1990 for DATE-OBS, got ${formatIso(takenAtMs)}.`);
  }
  if (takenAtMs > nowMs + FUTURE_TOLERANCE_MS) {
    throw new Refusal('date', `Expected a date in the past for DATE-OBS, got ${formatIso(takenAtMs)}.`);
  }
  return takenAtMs;
}

function geometryOf(fits: ReadonlyMap<string, string>): ArchivedImage['geometry'] {
  try {
    return imageGeometry(fits);
  } catch (error) {
    throw error instanceof GeometryError ? new Refusal('geometry', error.message) : error;
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
