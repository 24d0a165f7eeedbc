// Tiles of layers that are shown, which can be requested before there is what draws them.

import type { FrameDescription } from '../../picture/moving-frame.ts';
import { levelOperations, type Operations } from '../../picture/operations/operations.ts';
import { type ImageRecord, type TilePlace, tilePath } from '../api/images.ts';
import { requestResponse } from '../api/request.ts';
import { contentKey, type ShownLayer } from './frame-layer.ts';
import { tilesSeen, type Viewport } from './geometry.ts';

/** What the tiles of a layer show: the levels of an image after the operations on levels. */
export class Content {
  readonly key: string;
  readonly image: ImageRecord;
  readonly operations: Operations;
  /** How the levels of the image are shown; null while it is not known, and after a failure. */
  description: FrameDescription | null = null;
  hasFailed = false;
  /** Resolves when the description is there, or has failed. */
  ready: Promise<void> = Promise.resolve();
  /** Loads under way: the end of one drops no tiles for which another waits. */
  loads = 0;
  readonly #ended = new AbortController();
  readonly #files = new Map<string, Promise<Blob>>();

  constructor(key: string, { image, ...layer }: ShownLayer) {
    this.key = key;
    this.image = image;
    this.operations = levelOperations(layer);
  }

  /** The file of a tile in grey, which is kept until `drawn`, so that a damaged one is requested anew. @throws as `requestResponse` */
  file(tile: TilePlace): Promise<Blob> {
    const path = this.#pathOf(tile);
    const load = async () => (await requestResponse(path, { signal: this.#ended.signal })).blob();
    const file = this.#files.get(path) ?? load();
    this.#files.set(path, file);
    file.catch(() => this.#files.delete(path));
    return file;
  }

  drawn(tile: TilePlace): void {
    this.#files.delete(this.#pathOf(tile));
  }

  request(view: Viewport): void {
    for (const tile of tilesSeen(this.image, view)) void this.file(tile);
  }

  end(): void {
    this.#ended.abort();
    contents.delete(this.key);
  }

  #pathOf(tile: TilePlace): string {
    return tilePath(this.image.id, tile, { ...this.operations, grey: true });
  }
}

const contents = new Map<string, Content>();

export function contentOf(layer: ShownLayer): Content {
  const key = contentKey(layer);
  const content = contents.get(key) ?? new Content(key, layer);
  contents.set(key, content);
  return content;
}
