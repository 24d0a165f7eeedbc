// Downloads of whole images. Those at usual sizes are rendered once per size and format, then stored in the archive.
import { type DownloadSize, downloadSize, isStoredSize } from '../../domain/download-size.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import type { ImageIndex } from '../../ports/images.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import { imageCopyKey } from '../../storage/keys.ts';
import { sha256Hex } from '../../util/digest.ts';
import { imageById } from '../images/find-image.ts';
import type { ImageFileRenderer } from './image-file-renderer.ts';
import { type ImageType, MEDIA_TYPES } from './image-formats.ts';
import type { RenderCall, RenderSlots } from './render-slots.ts';

interface Ports {
  readonly index: ImageIndex;
  readonly objects: ObjectStore;
  readonly imageFiles: ImageFileRenderer;
  readonly slots: RenderSlots;
}

export interface ImageFileRequest {
  readonly id: number;
  /** Width in pixels. */
  readonly width?: number | undefined;
  /** Reduction factor; ignored when there is a width. */
  readonly scale?: number | undefined;
  readonly type: ImageType;
}

interface ImageFileFacts {
  readonly image: ArchivedImage;
  readonly size: DownloadSize;
  readonly key: string;
  /** Strong, quoted. */
  readonly etag: string;
}

/** `bytes`: the file if this call rendered it; null if it was stored already, with `length` bytes. */
export type ImageFile = ImageFileFacts &
  ({ readonly bytes: Uint8Array; readonly length?: never } | { readonly bytes: null; readonly length: number });

const ETAG_DIGITS = 32;

export class ImageDownloadService {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** @throws Failure `unknown-image`, `withdrawn`, `damaged-image`, `missing-file`, or `busy` */
  async file({ id, type, ...requestedSize }: ImageFileRequest, call: RenderCall): Promise<ImageFile> {
    const { index, objects, imageFiles, slots } = this.#ports;
    const image = await imageById({ index, stopwatch: call.stopwatch }, id);
    const size = downloadSize(image.geometry, requestedSize);
    const key = imageCopyKey(imageFiles.version, image, size.width, type);
    const facts = { image, size, key };
    const isStored = isStoredSize(size);
    const stored = isStored ? await call.stopwatch.measure('read', () => objects.head(key)) : null;
    if (stored) return { ...facts, etag: stored.etag, length: stored.size, bytes: null };
    const bytes = await slots.render(size, call, () => imageFiles.render(image, size, type));
    if (isStored) return { ...facts, etag: (await objects.put(key, bytes, MEDIA_TYPES[type])).etag, bytes };
    return { ...facts, etag: `"${(await sha256Hex(bytes)).slice(0, ETAG_DIGITS)}"`, bytes };
  }
}
