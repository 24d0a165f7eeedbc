// Adds a JP2 file to the archive. Objects are written before the row, so that a row never points to a missing object. The
// journal records the objects that an interrupted upload leaves; the next attempt reuses them, or the sweep removes them.
import { archiveDirectory } from '../../domain/catalogue/datasource.ts';
import { identifySource } from '../../domain/catalogue/identify.ts';
import { findSource } from '../../domain/catalogue/sources.ts';
import { GeometryError, imageGeometry } from '../../domain/geometry.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { formatIso, observationTime } from '../../domain/time.ts';
import { Jp2Error } from '../../imaging/jp2/errors.ts';
import { parseXmlHeader } from '../../imaging/jp2/xml-header.ts';
import type { ImageIndex, ImageRegister, UploadJournal } from '../../ports/images.ts';
import type { ImmutableObjects } from '../../ports/objects.ts';
import type { Clock } from '../../ports/timing.ts';
import { jp2Key, sidecarKey } from '../../storage/keys.ts';
import { sha256Hex } from '../../util/digest.ts';
import { DAY_MS } from '../../util/durations.ts';
import type { inspectJp2 } from './inspect-jp2.ts';

/** Largest plausible clock error of an observatory; an image dated later would remain the newest one permanently. */
const FUTURE_TOLERANCE_MS = DAY_MS;

/** The oldest images in the catalogue date from 1991. */
const EARLIEST_MS = Date.UTC(1990, 0, 1);

export interface IngestPorts {
  readonly index: Pick<ImageIndex, 'byFileName'>;
  readonly register: ImageRegister;
  readonly journal: UploadJournal;
  readonly objects: ImmutableObjects;
  readonly inspect: typeof inspectJp2;
  readonly clock: Clock;
  /** Version of the sidecars that `inspect` writes. */
  readonly sidecarVersion: number;
}

/** Why a file is refused. */
export type RefusalReason = 'malformed' | 'unsupported' | 'too-large' | 'header' | 'datasource' | 'date' | 'geometry' | 'size';

export type IngestResult =
  | { readonly outcome: 'added' | 'known'; readonly image: ArchivedImage }
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

/** Adds a complete JP2 file under its archive name. Idempotent for the same content. */
export async function ingest(ports: IngestPorts, fileName: string, jp2: Uint8Array): Promise<IngestResult> {
  const sha256 = await sha256Hex(jp2);
  const present = await ports.index.byFileName(fileName);
  if (present?.sha256 === sha256) return { outcome: 'known', image: present };
  if (present) return conflictingContent(fileName);
  try {
    const { image, sidecar } = await describe(ports, fileName, jp2, sha256);
    return await store(ports, image, jp2, sidecar);
  } catch (error) {
    if (error instanceof Refusal) return { outcome: 'refused', reason: error.reason, sentence: error.message };
    throw error;
  }
}

async function describe(
  ports: IngestPorts,
  fileName: string,
  jp2: Uint8Array,
  sha256: string,
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
  const key = jp2Key(archiveDirectory(findSource(sourceId)!, takenAtMs, fileName), fileName);
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

async function store(ports: IngestPorts, image: NewImage, jp2: Uint8Array, sidecar: Uint8Array): Promise<IngestResult> {
  const { journal, objects, register } = ports;
  if (!(await journal.begin(image))) {
    return {
      outcome: 'busy',
      sentence: `The objects of an earlier upload of ${image.fileName} are being removed. Try again in a few seconds.`,
    };
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
    return conflictingContent(image.fileName);
  }
  const registered = await register.add(image);
  if (registered.outcome === 'conflict') await undo();
  await journal.end(image.key);
  if (registered.outcome === 'conflict') return { outcome: 'conflict', sentence: registered.reason };
  return { outcome: registered.outcome, image: registered.image };
}

function conflictingContent(fileName: string): IngestResult {
  return {
    outcome: 'conflict',
    sentence: `${fileName} is archived with other content, and an archived image cannot be replaced.`,
  };
}
