// Tiles of the shown layers, requested before the drawing code has loaded.

import type { FrameDescription } from '../../picture/moving-frame.ts';
import { levelOperations } from '../../picture/operations/operations.ts';
import { type TilePlace, tilePath } from '../api/images.ts';
import { requestResponse } from '../api/request.ts';
import { contentKey, type ShownLayer } from './frame-layer.ts';
import { tilesSeen, type Viewport } from './geometry.ts';

/** What the tiles of a layer show: the levels of an image after the operations on levels. */
export type Content = ReturnType<typeof newContent>;

function newContent(key: string, { image, ...layer }: ShownLayer) {
  const operations = levelOperations(layer);
  const ended = new AbortController();
  const files = new Map<string, Promise<Blob>>();
  const pathOf = (tile: TilePlace) => tilePath(image.id, tile, { ...operations, grey: true });

  /** The file of a tile in grey, which is kept until `drawn`, so that a damaged one is requested anew. @throws as `requestResponse` */
  function fileOf(tile: TilePlace): Promise<Blob> {
    const path = pathOf(tile);
    const load = async () => (await requestResponse(path, { signal: ended.signal })).blob();
    const file = files.get(path) ?? load();
    files.set(path, file);
    file.catch(() => files.delete(path));
    return file;
  }

  return {
    ...{ image, operations, fileOf },
    /** How the levels of the image are shown; null while it is not known, and after a failure. */
    description: null as FrameDescription | null,
    hasFailed: false,
    /** Resolves when the description is there, or has failed. */
    ready: Promise.resolve(),
    /** Loads under way: the end of one drops no tiles for which another waits. */
    loads: 0,
    drawn: (tile: TilePlace) => void files.delete(pathOf(tile)),

    request(view: Viewport): void {
      for (const tile of tilesSeen(image, view)) void fileOf(tile);
    },

    end(): void {
      ended.abort();
      contents.delete(key);
    },
  };
}

const contents = new Map<string, Content>();

export function contentOf(layer: ShownLayer): Content {
  const key = contentKey(layer);
  const content = contents.get(key) ?? newContent(key, layer);
  contents.set(key, content);
  return content;
}
