// JPX files by name, which always means the same frames: once there are more images, the same request makes another name.
import { jpxManifestKey, timelineTagOf } from '../../archive/keys.ts';
import { type ByteRange, SourceSequence } from '../../jp2/byte-source.ts';
import type { JpxStyle } from '../../jp2/jpx/file-name.ts';
import { type JpxFrame, type JpxLayout, jpxLayout } from '../../jp2/jpx/layout.ts';
import type { Admission } from '../../platform/admission/admission.ts';
import { IMMUTABLE, namedFile, type StreamRepresentation } from '../../platform/http/response.ts';
import { JPX, JPX_COST } from '../../platform/limits/jpx.ts';
import { inSteps } from '../../platform/ports/timing.ts';
import type { ImmutableObjects, ObjectStore } from '../../platform/storage/r2-object-store.ts';
import { jsonBytes, sha256Hex, toBase64 } from '../../platform/util/bytes.ts';
import { Failure } from '../../platform/util/errors.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import type { Context } from '../services.ts';
import { framesOf, JPX_FORMAT, type JpxManifest, type JpxManifestFrame, openManifest, readManifest } from './jpx-manifest.ts';
import type { JpxParts } from './jpx-parts.ts';
import { chargedParts, framesWithMetadata, isLong, jpxParts, layoutsByParts, metadataParts, storeMissing } from './jpx-parts.ts';
import { type ImageLayout, imageLayouts, sourceStream } from './source-stream.ts';

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
const ETAG_DIGITS = 32;

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
  const layouts = isLong(requested.images)
    ? await layoutsByParts(parts, requested.images)
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

export async function jpxFile(
  objects: Pick<ObjectStore, 'read' | 'stream'>,
  manifest: JpxManifest,
  frames: readonly JpxFrame[] = framesOf(manifest),
) {
  const layout: JpxLayout = jpxLayout(frames, manifest);
  return {
    length: layout.length,
    etag: `"${(await sha256Hex(JSON.stringify(manifest))).slice(0, ETAG_DIGITS)}"`,
    open: (range?: ByteRange) => {
      const { sources } = layout;
      return sourceStream(
        objects,
        range ? new SourceSequence(sources).slice(range.offset, range.offset + range.length) : sources,
      );
    },
  };
}

/** Path below the root of the images, the same for HTTP and JPIP. */
export const jpxPath = ({ name }: JpxManifest) => `/movies/${name}.jpx`;

/** The frames of a record: the XML of a long linked file is read from its parts, because its images would take too many reads. */
async function framesToSend(manifest: JpxManifest, { services, admission }: Context) {
  const { objects, jpxParts } = services;
  if (!manifest.linked || !isLong(manifest.frames)) return framesOf(manifest);
  return (await framesWithMetadata({ objects, parts: chargedParts(jpxParts, admission) }, manifest))!;
}

/** The file of a record. */
export async function jpxResponse(manifest: JpxManifest, context: Context, policy = IMMUTABLE): Promise<StreamRepresentation> {
  const frames = await framesToSend(manifest, context);
  const { length, etag, open } = await context.stopwatch.measure('compose', () =>
    jpxFile(context.services.objects, manifest, frames),
  );
  return {
    contentType: 'image/jpx',
    etag,
    length,
    isSized: true,
    policy,
    edgeSeconds: JPX.edgeSeconds,
    tags: manifest.frames.map(timelineTagOf),
    headers: namedFile('attachment', `${manifest.name}.jpx`),
    lastModifiedMs: undefined,
    open: async (range) => open(range),
  };
}

/** The file `<name>.jpx` of an address that getJPX returned. @throws Failure (unknown-path, withdrawn) */
export async function namedJpx(name: string, context: Context): Promise<StreamRepresentation> {
  const manifest = await context.stopwatch.measure('read', () => openManifest(context.services, name));
  if (manifest) return jpxResponse(manifest, context);
  throw new Failure('unknown-path', 'No JPX file has this name. Request one with getJPX.');
}
