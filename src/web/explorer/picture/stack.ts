// One layer of the picture: the tiles of its image, with the former ones below until the new ones have loaded.
import type { ImageRecord } from '../api/image-record.ts';
import type { ShownLayer } from './frame-layer.ts';
import { type Camera, levelFor, type Size } from './geometry.ts';
import { TileLayer } from './tile-layer.ts';

export class Stack {
  readonly element = document.createElement('div');
  /** From the bottom; the last one is current, the others go once it is complete. */
  readonly #tiles: TileLayer[] = [];
  #layer: ShownLayer;
  readonly #onChange: () => void;

  /** `onChange`: tiles have loaded or failed. */
  constructor(layer: ShownLayer, onChange: () => void) {
    this.element.className = 'layer';
    this.#layer = layer;
    this.#onChange = onChange;
  }

  get image(): ImageRecord {
    return this.#layer.image;
  }

  get #top(): TileLayer | undefined {
    return this.#tiles.at(-1);
  }

  get isComplete(): boolean {
    return this.#top?.isComplete ?? true;
  }

  get failures(): number {
    return this.#top?.failures ?? 0;
  }

  get tileScale(): number {
    return this.#top?.scale ?? 0;
  }

  /** Shows a layer whose tiles have been prepared. */
  show(layer: ShownLayer, prepared: TileLayer | null): void {
    this.#layer = layer;
    this.element.style.opacity = String(layer.opacity / 100);
    if (prepared) this.#add(prepared);
    for (const tiles of this.#tiles) void tiles.colour(layer).then(this.#onChange);
  }

  /** Draws the view, with tiles of another level where it needs them. */
  draw(camera: Camera, size: Size): void {
    const level = levelFor(this.#layer.image, camera.scale);
    if (!this.#top?.shows(this.#layer, level)) this.#add(new TileLayer(this.#layer, level));
    this.#top!.fill(camera, size);
    for (const tiles of this.#tiles) tiles.place(camera.scale);
    if (!this.isComplete || this.#tiles.length > 1) void this.#settle();
  }

  retry(): void {
    this.#top?.retry();
    void this.#settle();
  }

  remove(): void {
    for (const tiles of this.#tiles) tiles.remove();
    this.element.remove();
  }

  #add(tiles: TileLayer): void {
    this.#tiles.push(tiles);
    this.element.append(tiles.element);
  }

  /** Removes the former tiles once the current ones are there. */
  async #settle(): Promise<void> {
    const top = this.#top!;
    await top.complete();
    if (top !== this.#top) return;
    if (top.failures === 0 || top.failures < top.count)
      for (const old of this.#tiles.splice(0, this.#tiles.length - 1)) old.remove();
    this.#onChange();
  }
}

/** The tiles of a layer for a view, not shown yet. */
export function preparedTiles(layer: ShownLayer, camera: Camera, size: Size): TileLayer {
  const tiles = new TileLayer(layer, levelFor(layer.image, camera.scale));
  tiles.fill(camera, size);
  tiles.place(camera.scale);
  return tiles;
}
