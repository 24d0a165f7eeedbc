// Whole images for people: drawn once for each size and format, then kept in the archive.
import { type DownloadSize, downloadSize } from '../../domain/download-size.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import type { ImageIndex } from '../../ports/images.ts';
import type { ObjectStore, StoredObject } from '../../ports/objects.ts';
import { imageCopyKey } from '../../storage/keys.ts';
import { imageById } from '../images/find-image.ts';
import { type DrawingCall, drawInTurn } from './draw-in-turn.ts';
import type { ImageFileRenderer } from './image-file-renderer.ts';
import { type ImageType, MEDIA_TYPES } from './image-formats.ts';
import type { RenderSlots } from './render-slots.ts';

interface Ports {
  readonly index: ImageIndex;
  readonly objects: ObjectStore;
  readonly imageFiles: ImageFileRenderer;
  readonly slots: RenderSlots;
}

export interface ImageFileRequest {
  readonly id: number;
  /** Pixels. */
  readonly width?: number | undefined;
  /** Size of the image for that of the picture; counts where there is no width. */
  readonly scale?: number | undefined;
  readonly type: ImageType;
}

export interface ImageFile {
  readonly image: ArchivedImage;
  readonly size: DownloadSize;
  readonly key: string;
  readonly stored: StoredObject;
  /** The file where it was drawn just now; null where it lies in the archive. */
  readonly bytes: Uint8Array | null;
}

export class ImageDownloadService {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** @throws Failure `unknown-image`, `damaged-image`, `missing-file`, or `busy` */
  async file({ id, type, ...wanted }: ImageFileRequest, call: DrawingCall): Promise<ImageFile> {
    const { index, objects, imageFiles, slots } = this.#ports;
    const image = await imageById({ index, stopwatch: call.stopwatch }, id);
    const size = downloadSize(image.geometry, wanted);
    const key = imageCopyKey(imageFiles.version, id, size.width, type);
    const facts = { image, size, key };
    const stored = await call.stopwatch.measure('read', () => objects.head(key));
    if (stored) return { ...facts, stored, bytes: null };
    const bytes = await drawInTurn(slots, size, call, () => imageFiles.render(image, size, type));
    return { ...facts, stored: await objects.put(key, bytes, MEDIA_TYPES[type]), bytes };
  }
}
