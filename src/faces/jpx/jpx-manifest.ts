// Records of JPX files by name: their frames, and where their bytes are. A file is composed on request and never stored. A name always means
// the same frames: once there are more images, the same request makes another one.
// The XML of the frames of linked files is stored in parts: JPIP clients begin with it, and to read each image takes as many requests as frames.
import { checkNotWithdrawn } from '../../archive/find-image.ts';
import type { ImageIndex } from '../../archive/image-index/d1-image-index.ts';
import { folderOf, jpxManifestKey, jpxMetadataKey } from '../../archive/keys.ts';
import { type ByteRange, type ObjectRange, totalLength } from '../../jp2/byte-source.ts';
import type { JpxStyle } from '../../jp2/jpx/file-name.ts';
import type { JpxFrame } from '../../jp2/jpx/layout.ts';
import type { Admission } from '../../platform/admission/admission.ts';
import { JPX, JPX_COST } from '../../platform/limits/jpx.ts';
import { inSteps } from '../../platform/ports/timing.ts';
import type { ImmutableObjects, ObjectStore } from '../../platform/storage/r2-object-store.ts';
import { fromBase64, jsonBytes, jsonOf, sha256Hex, toBase64 } from '../../platform/util/bytes.ts';
import { mapConcurrently } from '../../platform/util/concurrency.ts';
import { SingleFlight } from '../../platform/util/single-flight.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { type ImageLayout, imageLayouts, sourceStream } from './source-stream.ts';

/** Version of the file format. It changes with everything that affects the bytes of a JPX file, so that a name never gets other bytes. */
export const JPX_FORMAT = 1;

export interface JpxManifestFrame {
  readonly imageId: number;
  readonly key: string;
  readonly fileName: string;
  readonly takenAtMs: number;
  readonly codestream: ByteRange;
  /** Content of the XML box; null where the image has none. */
  readonly xml: ByteRange | null;
  /** Index into `headers`. */
  readonly header: number;
  readonly rsiz: number;
}

export interface JpxManifest {
  readonly format: typeof JPX_FORMAT;
  /** File name without `.jpx`. */
  readonly name: string;
  /** True when the frames are links to the JP2 files. */
  readonly linked: boolean;
  readonly style: JpxStyle;
  /** The distinct JP2 header boxes (whole jp2h) of the frames, in base64. */
  readonly headers: readonly string[];
  /** In the order of the file. */
  readonly frames: readonly JpxManifestFrame[];
}

export function framesOf({ headers, frames }: JpxManifest): JpxFrame[] {
  const boxes = headers.map(fromBase64);
  return frames.map(({ key, fileName, codestream, xml, header, rsiz }) => ({
    key,
    path: `${folderOf(key)}/${fileName}`,
    codestream,
    xml: xml && { key, ...xml },
    header: boxes[header]!,
    rsiz,
  }));
}

/** Name of a JPX file, without `.jpx`. */
const NAME = /^(?!.*\.\.)[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;

/** The record of the JPX file `name` (without `.jpx`); null when there is none, or when `name` is malformed. */
export async function readManifest(objects: Pick<ObjectStore, 'readAll'>, name: string): Promise<JpxManifest | null> {
  const bytes = NAME.test(name) ? await objects.readAll(jpxManifestKey(name)) : null;
  const manifest = bytes && jsonOf<JpxManifest>(bytes);
  return manifest?.format === JPX_FORMAT ? manifest : null;
}

type ServedFrom = { readonly objects: Pick<ObjectStore, 'readAll'>; readonly index: Pick<ImageIndex, 'withdrawn'> };

/** `readManifest` of a file to be sent. @throws Failure `withdrawn` when the archive no longer has one of its images */
export async function openManifest({ objects, index }: ServedFrom, name: string): Promise<JpxManifest | null> {
  const manifest = await readManifest(objects, name);
  if (manifest) await checkFrames(index, manifest);
  return manifest;
}

/** @throws Failure `withdrawn` when the archive no longer has one of the images of a file */
export async function checkFrames(index: ServedFrom['index'], { name, frames }: JpxManifest): Promise<void> {
  const ids = frames.map(({ imageId }) => imageId);
  if (ids.length > 0) await checkNotWithdrawn(index, `The movie ${name}.jpx`, ids);
}

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

/** Stored XML of frames: where it is, and what it is made of. */
type MetadataPart = { readonly key: string; readonly ranges: readonly ObjectRange[]; readonly bytes: number };

/** The ranges are those of files that never change, so that equal frames of several movies share an object. */
export const metadataParts = (frames: readonly JpxFrame[]): Promise<MetadataPart[]> =>
  Promise.all(
    partsOf(frames).map(async (part) => {
      const ranges = part.flatMap(({ xml }) => xml ?? []);
      const text = ranges.map(({ key, offset, length }) => `${key} ${offset} ${length}`).join();
      return { key: jpxMetadataKey({ sha256: await sha256Hex(text) }), ranges, bytes: totalLength(ranges) };
    }),
  );

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

type JpxObjects = Pick<ObjectStore, 'head' | 'read' | 'readAll' | 'stream' | 'put'> & Pick<ImmutableObjects, 'create'>;

export interface JpxRequest {
  /** Without `.jpx`. */
  readonly name: string;
  readonly linked: boolean;
  readonly style: JpxStyle;
  /** In the order of the file; at least one. */
  readonly images: readonly ArchivedImage[];
  /** Whether metadata is stored for clients that open the file by JPIP. */
  readonly isForJpip?: boolean;
}

const DIGEST_DIGITS = 12;

function isOf({ frames, linked, style }: JpxManifest, requested: JpxRequest): boolean {
  const hasSameForm = linked === requested.linked && style === requested.style && frames.length === requested.images.length;
  return hasSameForm && frames.every(({ imageId }, i) => imageId === requested.images[i]!.id);
}

function manifestOf({ name, linked, style, images }: JpxRequest, layouts: readonly ImageLayout[]): JpxManifest {
  const headers: string[] = [];
  const numberOf = (header: Uint8Array) => {
    const text = toBase64(header);
    const known = headers.indexOf(text);
    return known >= 0 ? known : headers.push(text) - 1;
  };
  const frames = images.map(({ id: imageId, key, fileName, takenAtMs }, i): JpxManifestFrame => {
    const { codestreamOffset, codestreamLength, xmlOffset, xmlLength, header, rsiz } = layouts[i]!;
    return {
      imageId,
      key,
      fileName,
      takenAtMs,
      codestream: { offset: codestreamOffset, length: codestreamLength },
      xml: xmlLength > 0 ? { offset: xmlOffset, length: xmlLength } : null,
      header: numberOf(header),
      rsiz,
    };
  });
  return { format: JPX_FORMAT, name, linked, style, headers, frames };
}

async function namedByContent(requested: JpxRequest): Promise<JpxRequest> {
  const content = [requested.style, requested.linked, JPX_FORMAT, ...requested.images.map(({ id }) => id)].join();
  return { ...requested, name: `${requested.name}.${(await sha256Hex(content)).slice(0, DIGEST_DIGITS)}` };
}

/** Finds or creates the record of a file; where the name means other frames, with a digest appended. @throws Failure of images, `rate-limited` */
export async function recordJpx(
  objects: JpxObjects,
  requested: JpxRequest,
  admission?: Admission,
  parts: JpxParts = jpxParts(objects),
): Promise<JpxManifest> {
  const known = await readManifest(objects, requested.name);
  if (known && isOf(known, requested)) return known;
  const named = known ? await namedByContent(requested) : requested;
  const kept = known && (await readManifest(objects, named.name));
  if (kept) return kept;
  const step = admission && inSteps((ms) => admission.step(ms));
  const ofPart = (part: readonly ArchivedImage[]) => parts.layouts(part.map(({ key }) => ({ key })));
  const layouts = isLong(requested.images)
    ? (await mapConcurrently(partsOf(requested.images), JPX.parallelParts, ofPart)).flat()
    : await imageLayouts(objects, requested.images, step && (() => step(JPX_COST.frameMs)));
  const created = await create(objects, manifestOf(named, layouts), admission);
  // A concurrent request has just taken the name for other frames, or a file of an older format has it.
  const manifest = created ?? (await create(objects, manifestOf(await namedByContent(requested), layouts)))!;
  // Embedded files are rarely opened by JPIP.
  const metadata = manifest.linked && requested.isForJpip ? await metadataParts(framesOf(manifest)) : [];
  const bytes = metadata.reduce((sum, part) => sum + part.bytes, 0);
  const isStored = bytes > 0 && (await admission?.mayStore('jpxMetadata', bytes));
  // After a failure it is read from the images, or stored when the file is opened.
  if (isStored) await storeMissing({ objects, parts }, metadata).catch(() => undefined);
  return manifest;
}

async function create(objects: JpxObjects, manifest: JpxManifest, admission?: Admission): Promise<JpxManifest | null> {
  const bytes = jsonBytes(manifest);
  await admission?.change();
  await admission?.store('jpx', bytes.length);
  const outcome = await objects.create(jpxManifestKey(manifest.name), bytes, 'application/json');
  return outcome === 'different' ? null : manifest;
}
