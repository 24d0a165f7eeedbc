// The tiles of one image at one level, in an element of their own.

import { pictureKey } from '../../../picture/key.ts';
import { colourOperations, hasColours, levelOperations, type Operations } from '../../../picture/operations/operations.ts';
import type { ImageRecord } from '../api/image-record.ts';
import { tilePath } from '../api/images.ts';
import type { ColourableTile, ShownLayer } from './frame-layer.ts';
import { type Camera, imageCentre, levelScale, type Size, tileBox, unionOf, visibleTiles } from './geometry.ts';

interface Tile {
  readonly at: readonly [number, number];
  readonly picture: HTMLImageElement;
  state: 'loading' | 'loaded' | 'failed';
  /** Its content for other colours, once they have been wanted. */
  content: Promise<ColourableTile> | null;
  /** The operations with whose colours it is shown, or is to be shown. */
  colours: string;
  /** Whether it is on its way to other colours. */
  isPainting: boolean;
}

/** What a layer of tiles shows. */
type Content = Pick<ShownLayer, 'image'> & Operations;

/** What the files of tiles depend on, and what changes their colours without a request. */
const filesOf = (layer: Content) => pictureKey([layer.image.id, levelOperations(layer)]);
const coloursIn = (layer: Content) => pictureKey(colourOperations(layer));
const OWN_COLOURS = pictureKey({});

/** Place and size in pixels. */
function setBox({ style }: HTMLElement, box: Readonly<Record<'left' | 'top' | 'width' | 'height', number>>): void {
  for (const [side, pixels] of Object.entries(box)) style.setProperty(side, `${pixels}px`);
}

export class TileLayer {
  readonly element = document.createElement('div');
  /**
   * An invisible area below the tiles. The browser keeps elements together in one bitmap only where their bounding box has no holes;
   * otherwise it would blend each row of tiles by itself in every frame.
   */
  readonly #sheet = document.createElement('div');
  readonly #image: ImageRecord;
  #layer: Content;
  readonly #level: number;
  readonly #tiles = new Map<string, Tile>();
  #placedScale = 0;
  #waiting: (() => void)[] = [];

  constructor(layer: Content, level: number) {
    this.#image = layer.image;
    this.#layer = layer;
    this.#level = level;
    this.element.className = 'tiles';
    this.#sheet.className = 'sheet';
    this.element.append(this.#sheet);
  }

  shows(layer: Content, level: number): boolean {
    return level === this.#level && filesOf(layer) === filesOf(this.#layer);
  }

  get #colours(): string {
    return coloursIn(this.#layer);
  }

  get #states() {
    return [...this.#tiles.values()].map(({ state }) => state);
  }

  /** Whether every requested tile has loaded or failed. */
  get isComplete(): boolean {
    return !this.#states.includes('loading');
  }

  get failures(): number {
    return this.#states.filter((state) => state === 'failed').length;
  }

  get count(): number {
    return this.#tiles.size;
  }

  get scale(): number {
    return levelScale(this.#level);
  }

  /** Requests the tiles of the view that the layer lacks. */
  fill(camera: Camera, size: Size): void {
    const before = this.#tiles.size;
    for (const at of visibleTiles(this.#image, camera, size, this.#level)) {
      const key = at.join();
      if (this.#tiles.has(key)) continue;
      const tile: Tile = { at, picture: new Image(), state: 'loading', content: null, colours: this.#colours, isPainting: false };
      this.#tiles.set(key, tile);
      void this.#load(tile);
    }
    if (this.#placedScale > 0 && this.#tiles.size > before) this.#placeTiles();
  }

  /** Requests the failed tiles again. */
  retry(): void {
    for (const tile of this.#tiles.values()) if (tile.state === 'failed') void this.#load(tile);
  }

  /** Shows the tiles in the colours of a layer, those that are there at once. Resolves when they are. */
  async colour(layer: Content): Promise<void> {
    const before = this.#colours;
    this.#layer = { ...colourOperations(layer), ...levelOperations(this.#layer), image: this.#image };
    if (this.#colours === before) return;
    await Promise.all([...this.#tiles.values()].map((tile) => tile.state === 'loaded' && this.#recolour(tile)));
  }

  /** Resolves when every requested tile has loaded or failed. */
  complete(): Promise<void> {
    if (this.isComplete) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Places the tiles around the centre of the Sun at a scale of the view. */
  place(scale: number): void {
    if (this.#placedScale === scale) return;
    this.#placedScale = scale;
    const { x, y } = imageCentre(this.#image);
    this.element.style.transform = `translate(${Math.round(x / scale)}px,${Math.round(y / scale)}px)`;
    this.#placeTiles();
  }

  remove(): void {
    for (const { picture } of this.#tiles.values()) {
      URL.revokeObjectURL(picture.src);
      picture.removeAttribute('src');
    }
    this.element.remove();
  }

  #placeTiles(): void {
    const boxes = [...this.#tiles.values()].map(({ at, picture }) => {
      const box = tileBox(this.#placedScale, this.#level, at);
      setBox(picture, box);
      return { left: box.left, top: box.top, right: box.left + box.width, bottom: box.top + box.height };
    });
    if (boxes.length === 0) return;
    const { left, top, right, bottom } = unionOf(boxes);
    setBox(this.#sheet, { left, top, width: right - left, height: bottom - top });
  }

  async #load(tile: Tile): Promise<void> {
    const { picture } = tile;
    tile.state = 'loading';
    picture.alt = '';
    picture.draggable = false;
    try {
      await this.#paint(tile);
      tile.state = 'loaded';
      this.element.append(picture);
    } catch {
      tile.state = 'failed';
      picture.removeAttribute('src');
    }
    if (!this.isComplete) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Sets the content of a tile in the present colours, again while they change. @throws where it does not load */
  async #paint(tile: Tile): Promise<void> {
    const { at, picture } = tile;
    const path = tilePath(this.#image.id, { x: at[0], y: at[1], imageScale: this.scale }, levelOperations(this.#layer));
    do {
      tile.colours = this.#colours;
      const former = picture.src;
      picture.src = tile.colours === OWN_COLOURS ? path : await this.#coloured(tile, path);
      await picture.decode();
      // Without effect on other addresses than those of `createObjectURL`.
      URL.revokeObjectURL(former);
    } while (tile.colours !== this.#colours);
  }

  /** The address of a tile in the present colours. */
  async #coloured(tile: Tile, path: string): Promise<string> {
    const read = async () =>
      (await import('./tile-colours.ts')).colourableTile(path, this.#image, hasColours(levelOperations(this.#layer)));
    tile.content ??= read();
    tile.content.catch(() => {
      tile.content = null;
    });
    return URL.createObjectURL(await (await tile.content).inColours(this.#layer));
  }

  /** Shows a tile that is there in the present colours, unless that is under way. */
  async #recolour(tile: Tile): Promise<void> {
    if (tile.isPainting) return;
    tile.isPainting = true;
    try {
      await this.#paint(tile);
    } catch {
      tile.state = 'failed';
    }
    tile.isPainting = false;
  }
}
