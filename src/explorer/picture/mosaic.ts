// Tiles of one content at one level, side by side in a texture.
import { TILE_SIZE } from '../../picture/grids/pixel-grid.ts';
import type { FrameDescription } from '../../picture/moving-frame.ts';
import { hasColours } from '../../picture/operations/operations.ts';
import type { Circle } from '../../sun/image.ts';
import type { MotionCanvas, Part, Texture, Undescribed } from '../motion/canvas.ts';
import type { Content } from './content.ts';
import { imageCentre, levelScale, type Point, type TileRect, tilesOf } from './geometry.ts';

const keyOf = ({ x, y }: Point) => `${x},${y}`;

/** The description of a content on the pixels of a mosaic. A difference is grey, and all of it has data. */
function placed({ image, operations, description }: Content, level: number, { x, y }: TileRect): FrameDescription {
  const imageScale = levelScale(level);
  const centre = imageCentre(image);
  const sun = { x: -centre.x / imageScale - x * TILE_SIZE, y: -centre.y / imageScale - y * TILE_SIZE };
  const ratio = description!.imageScale / imageScale;
  const circle = (of: Circle): Circle => ({
    x: (of.x - description!.sun.x) * ratio + sun.x,
    y: (of.y - description!.sun.y) * ratio + sun.y,
    radius: of.radius * ratio,
  });
  const of = description!.ring;
  const ring = of && { inner: circle(of.inner), outer: circle(of.outer), softness: of.softness * ratio };
  const plain = hasColours(operations) ? {} : { colours: null, isBlackTransparent: false };
  return { ...description!, imageScale, sun, ring, ...plain };
}

type State = 'loading' | 'loaded' | 'failed';
type Place = { readonly content: Content; readonly level: number; readonly rect: TileRect };
/** What a mosaic is filled from. */
type Former = Pick<Place, 'level' | 'rect'> & { readonly grey: Undescribed; readonly states: ReadonlyMap<string, State> };

export type Mosaic = ReturnType<typeof newMosaic>;

/** @param former Mosaics of the same content, of which the last is the best: their pixels are shown until the tiles are there. */
export function newMosaic(canvas: MotionCanvas, place: Place, former: readonly Former[], onChange: () => void) {
  const { content, level, rect } = place;
  const grey = canvas.blank({ width: rect.columns * TILE_SIZE, height: rect.rows * TILE_SIZE });
  const states = new Map<string, State>();
  const isAny = (state: State) => [...states.values()].includes(state);
  let texture: Texture | null = null;
  let isFreed = false;
  let loads: Promise<void>[] = [];

  async function loadTile({ x, y }: Point): Promise<void> {
    const [key, tile] = [keyOf({ x, y }), { x, y, imageScale: levelScale(level) }];
    states.set(key, 'loading');
    try {
      const file = await content.fileOf(tile);
      const picture = await createImageBitmap(file, { colorSpaceConversion: 'none', premultiplyAlpha: 'none' });
      if (!isFreed) canvas.put(grey, picture, { left: (x - rect.x) * TILE_SIZE, top: (y - rect.y) * TILE_SIZE });
      picture.close();
      states.set(key, 'loaded');
    } catch {
      states.set(key, 'failed');
    }
    content.drawn(tile);
    if (!isFreed) onChange();
  }

  // What others show of this place; loaded tiles of the same level stay loaded.
  for (const other of former) {
    const side = (TILE_SIZE * levelScale(other.level)) / levelScale(level);
    const whole: Part = {
      left: other.rect.x * side - rect.x * TILE_SIZE,
      top: other.rect.y * side - rect.y * TILE_SIZE,
      width: other.rect.columns * side,
      height: other.rect.rows * side,
    };
    canvas.copy(other.grey, { left: 0, top: 0, ...other.grey.size }, grey, whole);
    if (other.level !== level) continue;
    for (const key of tilesOf(rect).map(keyOf)) if (other.states.get(key) === 'loaded') states.set(key, 'loaded');
  }
  return {
    ...place,
    grey,
    states: states as ReadonlyMap<string, State>,
    pixels: grey.size.width * grey.size.height,

    /** Null while it is not known how the levels are shown. */
    get texture(): Texture | null {
      if (content.description) texture ??= Object.assign(grey, { description: placed(content, level, rect) });
      return texture;
    },

    get isComplete(): boolean {
      return !isAny('loading');
    },

    get hasLoaded(): boolean {
      return isAny('loaded');
    },

    get failures(): number {
      return [...states.values()].filter((state) => state === 'failed').length;
    },

    has({ x, y, columns, rows }: TileRect): boolean {
      return x >= rect.x && y >= rect.y && x + columns <= rect.x + rect.columns && y + rows <= rect.y + rect.rows;
    },

    /** Requests tiles that have not been requested. Resolves when all requested ones have loaded or failed. */
    async load(wanted: TileRect): Promise<void> {
      const tiles = tilesOf(wanted).filter((tile) => !states.has(keyOf(tile)));
      if (tiles.length > 0) loads = [...(isAny('loading') ? loads : []), ...tiles.map(loadTile)];
      await Promise.all(loads);
    },

    retry(): void {
      for (const [key, state] of states) if (state === 'failed') states.delete(key);
    },

    free(): void {
      isFreed = true;
      canvas.free(grey);
    },
  };
}
