// Downloads of whole images: rendered once per size and format, then stored in the archive.
import { type DownloadSize, downloadSize } from '../../domain/download-size.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import type { ImageIndex } from '../../ports/images.ts';
import type { ObjectStore, StoredObject } from '../../ports/objects.ts';
import { imageCopyKey } from '../../storage/keys.ts';
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

export interface ImageFile {
  readonly image: ArchivedImage;
  readonly size: DownloadSize;
  readonly key: string;
  readonly stored: StoredObject;
  /** The file if this call rendered it; null if it was stored already. */
  readonly bytes: Uint8Array | null;
}

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
    const stored = await call.stopwatch.measure('read', () => objects.head(key));
    if (stored) return { ...facts, stored, bytes: null };
    const bytes = await slots.render(size, call, () => imageFiles.render(image, size, type));
    return { ...facts, stored: await objects.put(key, bytes, MEDIA_TYPES[type]), bytes };
  }
}
