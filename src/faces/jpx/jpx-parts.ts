// Parts of the XML of linked JPX files, with which JPIP clients begin: stored, because reading each image takes as many requests as frames.
import { jpxMetadataKey } from '../../archive/keys.ts';
import { type ObjectRange, totalLength } from '../../jp2/byte-source.ts';
import type { JpxFrame } from '../../jp2/jpx/layout.ts';
import type { Admission } from '../../platform/admission/admission.ts';
import { JPX } from '../../platform/limits/jpx.ts';
import type { ObjectStore } from '../../platform/storage/r2-object-store.ts';
import { sha256Hex } from '../../platform/util/bytes.ts';
import { mapConcurrently } from '../../platform/util/concurrency.ts';
import { SingleFlight } from '../../platform/util/single-flight.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { framesOf, type JpxManifest } from './jpx-manifest.ts';
import { type ImageLayout, imageLayouts, sourceStream } from './source-stream.ts';

/** Work on at most `JPX.partFrames` frames, which reads an object for each. */
export interface JpxParts {
  /** @throws Failure (missing-file, damaged-image) */
  layouts(images: readonly Pick<ArchivedImage, 'key'>[]): Promise<ImageLayout[]>;
  store(key: string, ranges: readonly ObjectRange[]): Promise<void>;
  /** Stores in progress, by the keys of their objects. */
  readonly flights: SingleFlight<void>;
}

/** Milliseconds for which requests wait for a part that another one makes. */
const SHARE_MS = 30_000;

/** The work in the invocation of the caller. */
export const jpxParts = (objects: Pick<ObjectStore, 'read' | 'readAll' | 'stream' | 'put'>): JpxParts => ({
  layouts: (images) => imageLayouts(objects, images),
  store: async (key, ranges) => void (await objects.put(key, sourceStream(objects, ranges), 'application/xml')),
  flights: new SingleFlight(SHARE_MS),
});

/** Whether a file is read by parts, and needs its stored XML. */
export const isLong = ({ length }: { readonly length: number }): boolean => length > JPX.partFrames;

const partsOf = <T>(frames: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(frames.length / JPX.partFrames) }, (_, i) =>
    frames.slice(i * JPX.partFrames, (i + 1) * JPX.partFrames),
  );

/** The layouts of all images, in order. @throws Failure (missing-file, damaged-image) */
export async function layoutsByParts({ layouts }: JpxParts, images: readonly ArchivedImage[]): Promise<ImageLayout[]> {
  const found: ImageLayout[][] = [];
  await mapConcurrently(partsOf(images).entries(), JPX.parallelParts, async ([i, part]) => {
    found[i] = await layouts(part.map(({ key }) => ({ key })));
  });
  return found.flat();
}

/** Stored XML of frames: where it is, and what it is made of. */
type MetadataPart = { readonly key: string; readonly ranges: readonly ObjectRange[]; readonly bytes: number };

/** The ranges are those of files that never change, so that equal frames of several movies share an object. */
async function metadataPart(frames: readonly JpxFrame[]): Promise<MetadataPart> {
  const ranges = frames.flatMap(({ xml }) => xml ?? []);
  const text = ranges.map(({ key, offset, length }) => `${key} ${offset} ${length}`).join();
  return { key: jpxMetadataKey({ sha256: await sha256Hex(text) }), ranges, bytes: totalLength(ranges) };
}

export const metadataParts = (frames: readonly JpxFrame[]): Promise<MetadataPart[]> =>
  Promise.all(partsOf(frames).map(metadataPart));

type PartPorts = { readonly objects: Pick<ObjectStore, 'head'>; readonly parts: JpxParts };

/** Parts whose making charges a client for the images that are read. */
export const chargedParts = (parts: JpxParts, admission: Pick<Admission, 'admit'>): JpxParts => ({
  ...parts,
  store: async (key, ranges) => {
    await admission.admit('reads', ranges.length);
    await parts.store(key, ranges);
  },
});

const missingOf = async ({ objects }: Pick<PartPorts, 'objects'>, parts: readonly MetadataPart[]): Promise<MetadataPart[]> => {
  const sizes = await Promise.all(parts.map(async ({ key }) => (await objects.head(key))?.size ?? 0));
  return parts.filter(({ bytes }, i) => bytes !== sizes[i]);
};

/** Stores the parts that are missing. What is stored stays when a later one fails, so that the next request goes on from there. */
export async function storeMissing(ports: PartPorts, parts: readonly MetadataPart[]): Promise<void> {
  const missing = await missingOf(ports, parts);
  await mapConcurrently(missing, JPX.parallelParts, ({ key, ranges }) =>
    ports.parts.flights.run(key, () => ports.parts.store(key, ranges)),
  );
}

/** The frames of a linked file with the stored XML, made where a long file lacks it; null where others do. @throws Failure of the parts */
export async function framesWithMetadata(ports: PartPorts, manifest: JpxManifest): Promise<JpxFrame[] | null> {
  if (!manifest.linked) return null;
  const frames = framesOf(manifest);
  const parts = await metadataParts(frames);
  if (isLong(frames)) await storeMissing(ports, parts);
  else if ((await missingOf(ports, parts)).length > 0) return null;
  let offset = 0;
  return frames.map((frame, i) => {
    if (i % JPX.partFrames === 0) offset = 0;
    const xml = frame.xml && { key: parts[Math.floor(i / JPX.partFrames)]!.key, offset, length: frame.xml.length };
    offset += xml?.length ?? 0;
    return { ...frame, xml };
  });
}
