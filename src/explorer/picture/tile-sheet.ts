// Draws pictures that stand still, in every projection, from grey tiles. Only the tiles that the screen shows are loaded. Loads beside the
// first view, because the page shows a small picture until then.

import { TILE_SIZE } from '../../picture/grids/pixel-grid.ts';
import { colourOperations } from '../../picture/operations/operations.ts';
import type { Observer } from '../../sun/coordinates/observer.ts';
import { boxOf } from '../../sun/coordinates/picture-plane.ts';
import { loadFrame } from '../api/frames.ts';
import type { ImageRecord } from '../api/images.ts';
import { type MotionCanvas, observerOf, sharedCanvas } from '../motion/canvas.ts';
import { comparison } from '../store/state.ts';
import { type Content, contentOf } from './content.ts';
import { descriptionPath } from './first-paths.ts';
import type { ShownLayer } from './frame-layer.ts';
import { type Box, boxAround, levelFor, onSun, seenBox, type TileRect, tileRect, unionOf } from './geometry.ts';
import { type Mosaic, newMosaic } from './mosaic.ts';
import type { Frame, ScreenView, Sheet } from './picture.ts';
import { mappingOf } from './projecting.ts';

/** Pixels of all mosaics that are kept, of a byte each: those of five layers and five pictures on a screen of 2560x1440. */
const MOST_PIXELS = 160_000_000;
/** Points of the screen, in each direction, at which a projection is followed back to the image. */
const SAMPLES = 32;

/** The descriptions of kept images by id, which are the same at all levels. */
const descriptions = new Map<number, ReturnType<typeof described>>();

async function described(image: ImageRecord) {
  const { picture, description } = await loadFrame(descriptionPath(image), new AbortController().signal);
  picture.close();
  return description;
}

function descriptionOf(image: ImageRecord): ReturnType<typeof described> {
  const known = descriptions.get(image.id) ?? described(image);
  descriptions.set(image.id, known);
  known.catch(() => descriptions.delete(image.id));
  return known;
}

/** The part of the picture of an observer that a screen shows in its projection; null for none. */
function seenIn(observer: Observer, { camera, size, projected }: ScreenView): Box | null {
  const mapping = mappingOf(projected.projection, observer, projected.distanceRadii);
  const along = (pixels: number) => Array.from({ length: SAMPLES + 1 }, (_, i) => (i / SAMPLES) * pixels);
  const points = along(size.height)
    .flatMap((y) => along(size.width).map((x) => mapping?.toPlane(onSun(camera, size, { x, y })) ?? null))
    .filter((point) => point !== null);
  // With what lies between two samples.
  const side = 2 * (Math.max(size.width, size.height) / SAMPLES) * camera.scale;
  return points.length > 0 ? unionOf(points.map((point) => boxAround(point, side))) : null;
}

type SheetEvents = Readonly<Record<'onChange' | 'onLost', () => void>>;

function newSheet(canvas: MotionCanvas, { onChange, onLost }: SheetEvents): Sheet {
  /** Mosaics by content, one a level, the last drawn one last; from the content that has not been used for the longest time. */
  const kept = new Map<Content, readonly Mosaic[]>();
  let drawn: { readonly content: Content; readonly mosaic: Mosaic | null }[] = [];
  const isDrawn = (content: Content) => drawn.some((one) => one.content === content);

  function changed(content: Content): void {
    if (isDrawn(content)) onChange();
  }

  async function describe(content: Content): Promise<void> {
    content.hasFailed = false;
    try {
      content.description = await descriptionOf(content.image);
    } catch {
      content.hasFailed = true;
    }
    changed(content);
  }

  /** The content of a layer, which becomes the last used one. */
  function use(layer: ShownLayer): Content {
    const content = contentOf(layer);
    const mosaics = kept.get(content);
    kept.delete(content);
    kept.set(content, mosaics ?? []);
    if (!mosaics) content.ready = describe(content);
    return content;
  }

  function end(content: Content): void {
    content.end();
    kept.delete(content);
    descriptions.delete(content.image.id);
  }

  function drop(content: Content): void {
    const mosaics = kept.get(content) ?? [];
    if (content.loads > 0 || isDrawn(content) || mosaics.every(({ isComplete }) => isComplete)) return;
    for (const mosaic of mosaics) mosaic.free();
    end(content);
  }

  function neededOf({ image, description }: Content, view: ScreenView) {
    const { camera, size, projected } = view;
    const box = description?.edges && boxOf(description.edges);
    const isPlane = projected.projection.kind === 'plane';
    // A projection interpolates what tiles have interpolated between the pixels of a coarser image.
    let level = levelFor(image, camera.scale, isPlane ? 0 : 1);
    const seen = isPlane ? seenBox(camera, size) : description && seenIn(observerOf(image, description), view);
    for (; seen; level += 1) {
      const rect = tileRect(image, seen, camera.scale, level, box);
      if (!rect || Math.max(rect.columns, rect.rows) * TILE_SIZE <= canvas.mostPixels) return rect && { level, rect };
    }
    return null;
  }

  /** The mosaic of a level that has a rectangle: the present one, or a new one that begins with what is there of the content. */
  function mosaicOf(content: Content, { level, rect }: { readonly level: number; readonly rect: TileRect }): Mosaic {
    const present = kept.get(content) ?? [];
    const known = present.find((mosaic) => mosaic.level === level);
    const isKept = known?.has(rect);
    const mosaic = isKept ? known! : newMosaic(canvas, { content, level, rect }, present, () => changed(content));
    if (!isKept) known?.free();
    kept.set(content, [...present.filter((one) => one !== known), mosaic]);
    return mosaic;
  }

  /** Frees what has not been drawn for the longest time, beyond the pixels that are kept. */
  function freeOld(): void {
    const inUse = new Set(drawn.map(({ mosaic }) => mosaic));
    const all = [...kept.values()].flat();
    let pixels = all.reduce((sum, mosaic) => sum + mosaic.pixels, 0);
    for (const mosaic of all) {
      if (pixels <= MOST_PIXELS) return;
      if (inUse.has(mosaic) || !mosaic.isComplete) continue;
      const { content } = mosaic;
      const rest = kept.get(content)!.filter((one) => one !== mosaic);
      pixels -= mosaic.pixels;
      mosaic.free();
      kept.set(content, rest);
      if (rest.length === 0) end(content);
    }
  }

  canvas.element.addEventListener('webglcontextlost', onLost, { once: true });
  return {
    element: canvas.element,

    get state() {
      const isComplete = drawn.every(
        ({ content, mosaic }) => content.hasFailed || (content.description && (mosaic?.isComplete ?? true)),
      );
      const failures = drawn.reduce((sum, { content, mosaic }) => sum + (content.hasFailed ? 1 : (mosaic?.failures ?? 0)), 0);
      return { isComplete, failures };
    },

    async load(frame, view, signal) {
      const contents = frame.map(use);
      const loading = new Set(contents);
      for (const content of loading) content.loads += 1;
      const ended = () => {
        for (const content of loading) content.loads -= 1;
        loading.clear();
      };
      signal.addEventListener('abort', () => {
        ended();
        for (const content of contents) drop(content);
      });
      const found = await Promise.all(
        contents.map(async (content) => {
          // In the plane, its tiles can load beside its description.
          if (view.projected.projection.kind !== 'plane') await content.ready;
          if (content.hasFailed) return false;
          const needed = neededOf(content, view);
          if (!needed) return null;
          const mosaic = mosaicOf(content, needed);
          await Promise.all([mosaic.load(needed.rect), content.ready]);
          return !content.hasFailed && mosaic.hasLoaded;
        }),
      );
      ended();
      return found.includes(true) || found.every((isLoaded) => isLoaded === null);
    },

    draw(frame, view) {
      drawn = [];
      const shown = (layer: Frame[number]) => {
        const { key, image, opacity } = layer;
        const content = use(layer);
        const needed = neededOf(content, view);
        const mosaic = needed && mosaicOf(content, needed);
        if (needed) void mosaic!.load(needed.rect);
        drawn.push({ content, mosaic });
        const texture = mosaic?.texture;
        return { ...colourOperations(layer), key, opacity, image: texture ? { image, texture } : null, reference: null, layer };
      };
      const layers = frame.map(shown);
      const compared = comparison.value;
      const left = compared ? (compared.held?.frame ?? frame.slice(0, -1)).map(shown) : [];
      canvas.draw(layers, view, null, compared && left.length > 0 ? { layers: left, share: compared.share } : null);
      freeOld();
    },

    retry() {
      for (const [content, mosaics] of kept) {
        if (content.hasFailed) content.ready = describe(content);
        for (const mosaic of mosaics) mosaic.retry();
      }
      onChange();
    },

    removed() {
      drawn = [];
    },
  };
}

let made: Sheet | null = null;

/** The sheet of the page; null where the browser has no WebGL 2. */
export function tileSheet(events: SheetEvents): Sheet | null {
  const canvas = sharedCanvas();
  if (canvas?.element !== made?.element) made = canvas && newSheet(canvas, events);
  return made;
}
