// JPX files by name. A name always means the same frames: once the archive has more images, the same request makes a file with
// another name.
import { folderOf, jpxManifestKey, jpxMetadataKey } from '../../domain/archive/keys.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import type { JpxStyle } from '../../domain/jpx/file-name.ts';
import { type ByteRange, SourceSequence, totalLength } from '../../imaging/byte-source.ts';
import { type JpxFrame, type JpxLayout, jpxLayout } from '../../imaging/jpx/layout.ts';
import type { ImmutableObjects, IncomingObjects, ObjectStore } from '../../ports/objects.ts';
import { fromBase64, jsonBytes, sha256Hex, toBase64 } from '../../util/bytes.ts';
import { type ImageLayout, imageLayouts } from './image-layouts.ts';
import { JPX_FORMAT, type JpxManifest, type JpxManifestFrame, readManifest } from './jpx-manifest.ts';
import { sourceStream } from './source-stream.ts';

type JpxObjects = Pick<ObjectStore, 'read' | 'readAll' | 'stream' | 'put'> &
  Pick<ImmutableObjects, 'create'> &
  Pick<IncomingObjects, 'putStream'>;

/** Description of a JPX file to record. */
interface JpxRequest {
  /** Without `.jpx`. */
  readonly name: string;
  readonly linked: boolean;
  readonly style: JpxStyle;
  /** In the order of the file; at least one. */
  readonly images: readonly ArchivedImage[];
}

const DIGEST_DIGITS = 12;
const ETAG_DIGITS = 32;

function isOf({ frames, linked, style }: JpxManifest, requested: JpxRequest): boolean {
  const hasSameForm = linked === requested.linked && style === requested.style && frames.length === requested.images.length;
  return hasSameForm && frames.every(({ imageId }, i) => imageId === requested.images[i]!.id);
}

function manifestOf({ name, linked, style }: JpxRequest, images: readonly ImageLayout[]): JpxManifest {
  const headers: string[] = [];
  const numberOf = (header: Uint8Array) => {
    const text = toBase64(header);
    const known = headers.indexOf(text);
    return known >= 0 ? known : headers.push(text) - 1;
  };
  const frames = images.map(({ image, layout }): JpxManifestFrame => {
    const { id: imageId, key, fileName, takenAtMs } = image;
    const { codestreamOffset, codestreamLength, xmlOffset, xmlLength, header, rsiz } = layout;
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

/** Appends a digest of the frames to the name. */
async function namedByContent(requested: JpxRequest): Promise<JpxRequest> {
  const content = [requested.style, requested.linked, JPX_FORMAT, ...requested.images.map(({ id }) => id)].join();
  return { ...requested, name: `${requested.name}.${(await sha256Hex(content)).slice(0, DIGEST_DIGITS)}` };
}

export interface RecordCharges {
  /** Charges the client of a request for a new record of this many bytes. @throws Failure (rate-limited) */
  record(bytes: number): Promise<void>;
  /** The same for metadata; false when it is not to be stored. */
  metadata(bytes: number): Promise<boolean>;
  /** Precedes the reading of a frame's layout. */
  frame(): Promise<void>;
}

/**
 * Finds or creates the record of a file, under the requested name, or with a digest appended when that name means other frames.
 *
 * @throws Failure (missing-file, damaged-image), or that of `charges`
 */
export async function recordJpx(objects: JpxObjects, requested: JpxRequest, charges?: RecordCharges): Promise<JpxManifest> {
  const known = await readManifest(objects, requested.name);
  if (known && isOf(known, requested)) return known;
  const named = known ? await namedByContent(requested) : requested;
  const kept = known && (await readManifest(objects, named.name));
  if (kept) return kept;
  const images = await imageLayouts(objects, requested.images, charges?.frame);
  const created = await create(objects, manifestOf(named, images), charges?.record);
  // A concurrent request has just taken the name for other frames, or a file of an older format has it.
  const manifest = created ?? (await create(objects, manifestOf(await namedByContent(requested), images)))!;
  const bytes = metadataBytes(manifest);
  if (bytes > 0 && (await charges?.metadata(bytes))) await storeMetadata(objects, manifest);
  return manifest;
}

async function create(objects: JpxObjects, manifest: JpxManifest, charge?: RecordCharges['record']): Promise<JpxManifest | null> {
  const bytes = jsonBytes(manifest);
  await charge?.(bytes.length);
  const outcome = await objects.create(jpxManifestKey(manifest.name), bytes, 'application/json');
  return outcome === 'different' ? null : manifest;
}

/** The frames of a record, for a layout. */
export function framesOf({ headers, frames }: JpxManifest): JpxFrame[] {
  const boxes = headers.map(fromBase64);
  return frames.map(({ key, fileName, codestream, xml, header, rsiz }) => {
    return { key, path: `${folderOf(key)}/${fileName}`, codestream, xml: xml && { key, ...xml }, header: boxes[header]!, rsiz };
  });
}

/** Frames with the metadata of `storeMetadata`; null where it is not stored. */
export async function framesWithMetadata(objects: Pick<ObjectStore, 'head'>, manifest: JpxManifest): Promise<JpxFrame[] | null> {
  const key = jpxMetadataKey(manifest.name);
  let offset = 0;
  const frames = framesOf(manifest).map((frame) => {
    const xml = frame.xml && { key, offset, length: frame.xml.length };
    offset += xml?.length ?? 0;
    return { ...frame, xml };
  });
  const stored = manifest.linked ? await objects.head(key) : null;
  return stored?.size === offset ? frames : null;
}

/**
 * Stores the XML of all frames one after another, because JPIP clients begin with all of it, and a read of each image takes as many
 * requests as there are frames.
 */
async function storeMetadata(
  objects: Pick<ObjectStore, 'read' | 'stream'> & Pick<IncomingObjects, 'putStream'>,
  manifest: JpxManifest,
): Promise<void> {
  const body = sourceStream(objects, metadataOf(manifest));
  // After a failure it is read from the images.
  await objects.putStream(jpxMetadataKey(manifest.name), body, 'application/xml').catch(() => undefined);
}

const metadataOf = (manifest: JpxManifest) => framesOf(manifest).flatMap(({ xml }) => xml ?? []);

/** Bytes that `storeMetadata` stores: 0 for embedded files, which are rarely opened by JPIP. */
const metadataBytes = (manifest: JpxManifest): number => (manifest.linked ? totalLength(metadataOf(manifest)) : 0);

interface JpxFile {
  readonly length: number;
  /** Strong, quoted. */
  readonly etag: string;
  open(range?: ByteRange): ReadableStream<Uint8Array>;
}

export async function jpxFile(objects: Pick<ObjectStore, 'read' | 'stream'>, manifest: JpxManifest): Promise<JpxFile> {
  const layout: JpxLayout = jpxLayout(framesOf(manifest), manifest);
  return {
    length: layout.length,
    etag: `"${(await sha256Hex(JSON.stringify(manifest))).slice(0, ETAG_DIGITS)}"`,
    open: (range) => {
      const { sources } = layout;
      return sourceStream(
        objects,
        range ? new SourceSequence(sources).slice(range.offset, range.offset + range.length) : sources,
      );
    },
  };
}
