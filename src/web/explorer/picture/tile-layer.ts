// The tiles of one image at one level, in an element of their own.
import type { Difference } from '../../../domain/recipe/difference.ts';
import type { ImageRecord } from '../api/image-record.ts';
import { tilePath } from '../api/images.ts';
import { type Camera, imageCentre, levelScale, onScreen, type Size, tileBox, visibleTiles } from './geometry.ts';

interface Tile {
  readonly at: readonly [number, number];
  readonly picture: HTMLImageElement;
  state: 'loading' | 'loaded' | 'failed';
}

const sameDifference = (a: Difference, b: Difference) => JSON.stringify(a) === JSON.stringify(b);

export class TileLayer {
  readonly element = document.createElement('div');
  readonly #image: ImageRecord;
  readonly #difference: Difference;
  readonly #level: number;
  readonly #tiles = new Map<string, Tile>();
  #placedScale = 0;
  #waiting: (() => void)[] = [];

  constructor(image: ImageRecord, difference: Difference, level: number) {
    this.#image = image;
    this.#difference = difference;
    this.#level = level;
    this.element.className = 'tiles';
  }

  shows(image: ImageRecord, difference: Difference, level: number): boolean {
    return image.id === this.#image.id && level === this.#level && sameDifference(difference, this.#difference);
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
    for (const at of visibleTiles(this.#image, camera, size, this.#level)) {
      const key = at.join();
      if (this.#tiles.has(key)) continue;
      const tile: Tile = { at, picture: new Image(), state: 'loading' };
      this.#tiles.set(key, tile);
      if (this.#placedScale > 0) this.#placeTile(tile);
      void this.#load(tile);
    }
  }

  /** Requests the failed tiles again. */
  retry(): void {
    for (const tile of this.#tiles.values()) if (tile.state === 'failed') void this.#load(tile);
  }

  /** Resolves when every requested tile has loaded or failed. */
  complete(): Promise<void> {
    if (this.isComplete) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Moves the tiles to the view; their own places change with its scale only. */
  place(camera: Camera, size: Size): void {
    const { x, y } = onScreen(camera, size, imageCentre(this.#image));
    this.element.style.transform = `translate(${Math.round(x)}px,${Math.round(y)}px)`;
    if (this.#placedScale === camera.scale) return;
    this.#placedScale = camera.scale;
    for (const tile of this.#tiles.values()) this.#placeTile(tile);
  }

  remove(): void {
    for (const { picture } of this.#tiles.values()) picture.removeAttribute('src');
    this.element.remove();
  }

  #placeTile({ at, picture }: Tile): void {
    for (const [side, pixels] of Object.entries(tileBox(this.#placedScale, this.#level, at))) {
      picture.style.setProperty(side, `${pixels}px`);
    }
  }

  async #load(tile: Tile): Promise<void> {
    const { at, picture } = tile;
    tile.state = 'loading';
    picture.alt = '';
    picture.draggable = false;
    picture.src = tilePath(this.#image.id, { x: at[0], y: at[1], imageScale: this.scale }, this.#difference);
    try {
      await picture.decode();
      tile.state = 'loaded';
      this.element.append(picture);
    } catch {
      tile.state = 'failed';
      picture.removeAttribute('src');
    }
    if (!this.isComplete) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
