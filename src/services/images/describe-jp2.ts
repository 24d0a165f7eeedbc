// Describes a JP2 file by its header: source, time, geometry and folder; refuses what could not be served.
import { archiveDirectory } from '../../domain/catalogue/datasource.ts';
import { identifySource } from '../../domain/catalogue/identify.ts';
import { findSource } from '../../domain/catalogue/sources.ts';
import { GeometryError, imageGeometry } from '../../domain/geometry.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { formatIso, observationTime } from '../../domain/time.ts';
import { Jp2Error } from '../../imaging/jp2/errors.ts';
import { parseXmlHeader } from '../../imaging/jp2/xml-header.ts';
import { DAY_MS } from '../../util/durations.ts';
import type { InspectedJp2 } from './inspect-jp2.ts';

/** Largest plausible clock error of an observatory; an image dated later would remain the newest one permanently. */
const FUTURE_TOLERANCE_MS = DAY_MS;

/** The oldest images in the catalogue date from 1991. */
const EARLIEST_MS = Date.UTC(1990, 0, 1);

/** Why a file is refused. */
export type RefusalReason = 'malformed' | 'unsupported' | 'too-large' | 'header' | 'datasource' | 'date' | 'geometry' | 'size';

export class Refusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, sentence: string) {
    super(sentence);
    this.reason = reason;
  }
}

/** Rethrows what is wrong with a codestream as a refusal, and other errors as they are. */
export function refuseCodestream(error: unknown): never {
  throw error instanceof Jp2Error ? new Refusal(error.kind, error.message) : error;
}

export interface DescribedJp2 extends Pick<ArchivedImage, 'sourceId' | 'takenAtMs' | 'geometry'> {
  /** Folder of the first version in the layout of the archive. */
  readonly folder: string;
}

/**
 * Describes an inspected file.
 * @throws Refusal
 */
export function describeJp2(
  { xml, width, height }: Omit<InspectedJp2, 'sidecar'>,
  { fileName, nowMs }: { readonly fileName: string; readonly nowMs: number },
): DescribedJp2 {
  const header = parseXmlHeader(xml);
  if (!header) throw new Refusal('header', 'Expected an XML box with <meta> and <fits> in the file, got none that is readable.');
  const identified = identifySource(header, fileName);
  if ('refusal' in identified) throw new Refusal('datasource', identified.refusal);
  const takenAtMs = takenAt(header.fits, nowMs);
  const geometry = geometryOf(header.fits);
  if (geometry.width !== width || geometry.height !== height) {
    const named = `${geometry.width}x${geometry.height}`;
    throw new Refusal('size', `Expected the ${width}x${height} pixels of the codestream for NAXIS1 and NAXIS2, got ${named}.`);
  }
  const { sourceId } = identified;
  return { sourceId, takenAtMs, geometry, folder: archiveDirectory(findSource(sourceId)!, takenAtMs, fileName) };
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
