// Shows one image as tiles. The previous tiles stay below until the new ones have loaded.
import { levelFor, levelScale, moved, wholeImage, zoomed } from './geometry.js';
import { TileLayer } from './tile-layer.js';

/** Largest ratio of two fields of view at which the view keeps its position. */
const SAME_FIELD = 1.3;

export class Viewer {
  #element;
  #onView;
  #onTrouble;
  #image = null;
  #view = null;
  /** Layers from the bottom; the last one loads, the others are removed once it is complete. */
  #layers = [];
  #isDrawing = false;

  /** `onView` receives the scales of the screen and of the tiles; `onTrouble` is called when a tile fails to load. */
  constructor(element, { onView, onTrouble }) {
    this.#element = element;
    this.#onView = onView;
    this.#onTrouble = onTrouble;
    new ResizeObserver(() => this.#draw()).observe(element);
  }

  /** Shows an image record. The view keeps its place unless the field of view changes. */
  show(image) {
    const field = ({ width, scale }) => width * scale;
    const change = this.#image ? field(image) / field(this.#image) : Number.POSITIVE_INFINITY;
    this.#image = image;
    if (change > SAME_FIELD || change < 1 / SAME_FIELD) this.fit();
    else this.#draw();
  }

  fit() {
    this.#change((image) => wholeImage(image, this.#size));
  }

  /** `at`: the fixed point, in pixels from the centre of the element. */
  zoom(factor, at) {
    this.#change((image, view) => zoomed(image, view, factor, at));
  }

  move(pixels) {
    this.#change((image, view) => moved(image, view, pixels));
  }

  get #size() {
    return { width: this.#element.clientWidth, height: this.#element.clientHeight };
  }

  #change(next) {
    if (!this.#image) return;
    this.#view = next(this.#image, this.#view);
    this.#draw();
  }

  #draw() {
    if (this.#isDrawing || !this.#image) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      this.#drawNow();
    });
  }

  #drawNow() {
    const [image, view, size] = [this.#image, this.#view, this.#size];
    const level = levelFor(image, view, devicePixelRatio);
    if (!this.#layers.at(-1)?.shows(image, level)) {
      const layer = new TileLayer(image, level, (hasCome) => this.#tileEnded(layer, hasCome));
      this.#layers.push(layer);
      this.#element.append(layer.element);
    }
    this.#layers.at(-1).fill(view, size);
    for (const layer of this.#layers) layer.place(view, size);
    this.#element.dataset.loading = String(!this.#layers.at(-1).isComplete);
    this.#onView({ screen: view.scale, tiles: levelScale(level) });
  }

  #tileEnded(layer, hasCome) {
    const top = this.#layers.at(-1);
    if (layer !== top) return;
    if (!hasCome) this.#onTrouble();
    if (!top.isComplete) return;
    for (const old of this.#layers.splice(0, this.#layers.length - 1)) old.remove();
    this.#element.dataset.loading = 'false';
  }
}
