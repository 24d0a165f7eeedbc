// Describes a JP2 file by its header: source, time, geometry and folder; refuses what could not be served.
import { Jp2Error } from '../../jp2/errors.ts';
import { parseXmlHeader } from '../../jp2/xml-header.ts';
import { EARLIEST_IMAGE_MS } from '../../platform/limits/images.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { when } from '../../platform/util/errors.ts';
import { archiveDirectory } from '../../sun/catalogue/datasource.ts';
import { identifySource } from '../../sun/catalogue/identify.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import { GeometryError, imageGeometry, sidePixels } from '../../sun/geometry.ts';
import type { NewImage } from '../../sun/image.ts';
import { formatIso, observationTime } from '../../sun/time.ts';
import { jp2Key, versionFolder } from '../keys.ts';
import type { RefusalReason, RefusedFile } from './ingest-result.ts';
import type { InspectedJp2 } from './inspect-jp2.ts';

/** Largest plausible clock error of an observatory; an image dated later would remain the newest one permanently. */
const FUTURE_TOLERANCE_MS = DAY_MS;

class Refusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, sentence: string) {
    super(sentence);
    this.reason = reason;
  }
}

interface Jp2File {
  readonly fileName: string;
  readonly jp2: Uint8Array;
  readonly sha256: string;
  /** Version of the file of this name, from 1. */
  readonly version: number;
}

/** The row of a file, with the result of its inspection. @param inspect Reads the file; its errors about the codestream are refusals */
export async function describeJp2<Inspected extends Omit<InspectedJp2, 'sidecar'>>(
  { fileName, jp2, sha256, version }: Jp2File,
  inspect: (jp2: Uint8Array) => Promise<Inspected>,
  nowMs: number,
): Promise<{ readonly image: NewImage; readonly inspected: Inspected } | RefusedFile> {
  try {
    const inspected = await inspect(jp2);
    const { folder, ...described } = describedHeader(inspected, fileName, nowMs);
    const key = jp2Key(versionFolder(folder, version, { sha256 }), fileName);
    return { inspected, image: { ...described, fileName, key, byteLength: jp2.length, sha256 } };
  } catch (error) {
    if (error instanceof Jp2Error) return refused(error.kind, error.message);
    if (error instanceof GeometryError) return refused('geometry', error.message);
    return when(Refusal, ({ reason, message }) => refused(reason, message))(error);
  }
}

export const refused = (reason: RefusalReason, sentence: string): RefusedFile => ({ outcome: 'refused', reason, sentence });

/** Source, time and geometry by the header, and the folder of the first version in the layout of the archive. @throws Refusal, GeometryError */
function describedHeader({ xml, width, height }: Omit<InspectedJp2, 'sidecar'>, fileName: string, nowMs: number) {
  const header = parseXmlHeader(xml);
  if (!header) throw new Refusal('header', 'The file has no XML box with a readable <meta> and <fits>.');
  const identified = identifySource(header, fileName);
  if ('refusal' in identified) throw new Refusal('datasource', identified.refusal);
  const takenAtMs = takenAt(header.fits, nowMs);
  const { sourceId } = identified;
  const source = findSource(sourceId)!;
  const geometry = imageGeometry(header.fits, source);
  const [ownWidth, ownHeight] = [sidePixels(header.fits, 'NAXIS1'), sidePixels(header.fits, 'NAXIS2')];
  if (ownWidth !== width || ownHeight !== height) {
    const named = `${ownWidth}x${ownHeight}`;
    throw new Refusal('size', `Expected the ${width}x${height} pixels of the codestream for NAXIS1 and NAXIS2, got ${named}.`);
  }
  return { sourceId, takenAtMs, geometry, folder: archiveDirectory(source, takenAtMs, fileName) };
}

function takenAt(fits: ReadonlyMap<string, string>, nowMs: number): number {
  const takenAtMs = observationTime(fits);
  if (takenAtMs === null) throw new Refusal('date', 'The header has no DATE-OBS with a readable date and time of day.');
  if (takenAtMs < EARLIEST_IMAGE_MS)
    throw new Refusal('date', `Expected a date after 1990 for DATE-OBS, got ${formatIso(takenAtMs)}.`);
  if (takenAtMs > nowMs + FUTURE_TOLERANCE_MS)
    throw new Refusal('date', `Expected a date in the past for DATE-OBS, got ${formatIso(takenAtMs)}.`);
  return takenAtMs;
}
