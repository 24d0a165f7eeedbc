// The record of a JPX file: its frames, and where their bytes are. The file itself is composed on request and never stored.
import { checkNotWithdrawn } from '../../archive/find-image.ts';
import type { ImageIndex } from '../../archive/image-index/d1-image-index.ts';
import { folderOf, jpxManifestKey } from '../../archive/keys.ts';
import type { ByteRange } from '../../jp2/byte-source.ts';
import type { JpxStyle } from '../../jp2/jpx/file-name.ts';
import type { JpxFrame } from '../../jp2/jpx/layout.ts';
import type { ObjectStore } from '../../platform/storage/r2-object-store.ts';
import { fromBase64, jsonOf } from '../../platform/util/bytes.ts';

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
