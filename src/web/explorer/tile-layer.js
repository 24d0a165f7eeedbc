// The tiles of one image at one level, in an element of their own.
import { tileAddress } from './api.js';
import { levelScale, tileBox, visibleTiles } from './geometry.js';

export class TileLayer {
  element = document.createElement('div');
  #image;
  #level;
  #onTile;
  #tiles = new Map();
  #loading = 0;

  /** `onTile` receives true for a loaded tile and false for a failed one. */
  constructor(image, level, onTile) {
    this.#image = image;
    this.#level = level;
    this.#onTile = onTile;
  }

  shows(image, level) {
    return image.id === this.#image.id && level === this.#level;
  }

  /** Whether every requested tile has loaded or failed. */
  get isComplete() {
    return this.#loading === 0;
  }

  /** Requests the tiles of the view that the layer lacks. */
  fill(view, size) {
    for (const [x, y] of visibleTiles(this.#image, view, size, this.#level)) {
      const key = `${x},${y}`;
      if (!this.#tiles.has(key)) this.#tiles.set(key, { at: [x, y], picture: this.#load(x, y) });
    }
  }

  /** Places the tiles for the view. */
  place(view, size) {
    for (const { at, picture } of this.#tiles.values()) {
      for (const [side, pixels] of Object.entries(tileBox(view, size, this.#level, at))) picture.style[side] = `${pixels}px`;
    }
  }

  remove() {
    for (const { picture } of this.#tiles.values()) picture.removeAttribute('src');
    this.element.remove();
  }

  #load(x, y) {
    const picture = new Image();
    picture.alt = '';
    picture.draggable = false;
    this.#loading += 1;
    const end = (hasCome) => {
      this.#loading -= 1;
      if (!hasCome) picture.remove();
      this.#onTile(hasCome);
    };
    picture.addEventListener('load', () => end(true), { once: true });
    picture.addEventListener('error', () => end(false), { once: true });
    picture.src = tileAddress(this.#image.id, x, y, levelScale(this.#level));
    this.element.append(picture);
    return picture;
  }
}
