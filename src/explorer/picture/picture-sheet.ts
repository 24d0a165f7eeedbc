// Draws pictures that stand still as screenshots of the service, in browsers without WebGL 2. Loads with the first one.
import { PLANE } from '../../picture/projection.ts';
import { trailing } from '../../platform/util/trailing.ts';
import { picturePath } from '../api/pictures.ts';
import { type Camera, onScreen } from './geometry.ts';
import type { Frame, PictureState, ScreenView, Sheet } from './picture.ts';

/** Rest of the view after which its own picture is requested, in milliseconds: a picture costs the service more than tiles. */
const REST_MS = 250;

/** Pictures that are kept: play loads ten ahead of the shown one. */
const MOST_KEPT = 12;

type Loaded = { readonly camera: Camera; readonly picture: HTMLImageElement };

function pathFor(frame: Frame, view: ScreenView): string | null {
  const layers = frame.map((layer) => ({ ...layer, isVisible: true }));
  return layers[0] ? picturePath({ atMs: layers[0].askedMs, layers, projection: PLANE }, view) : null;
}

class PictureSheet implements Sheet {
  readonly element = Object.assign(document.createElement('div'), { className: 'motion' });
  readonly #onChange: () => void;
  /** Pictures by path, in the order of their loads; null for one that has failed. */
  readonly #loaded = new Map<string, Loaded | null>();
  #shown: Loaded | null = null;
  #wanted: { readonly path: string; readonly camera: Camera } | null = null;
  readonly #rest = trailing(REST_MS, () => void this.#follow());

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get state(): PictureState {
    const found = this.#wanted && this.#loaded.get(this.#wanted.path);
    return { isComplete: found !== undefined, failures: this.#wanted && found === null ? 1 : 0 };
  }

  async load(frame: Frame, view: ScreenView): Promise<boolean> {
    const path = pathFor(frame, view);
    return path === null || (await this.#load(path, view.camera)) !== null;
  }

  draw(frame: Frame, view: ScreenView): void {
    const path = pathFor(frame, view);
    this.#wanted = path === null ? null : { path, camera: view.camera };
    const found = path === null ? null : this.#loaded.get(path);
    if (found || path === null) this.#show(found ?? null);
    else if (found === undefined) this.#rest.soon();
    this.#place(view);
  }

  retry(): void {
    for (const [path, found] of this.#loaded) if (!found) this.#loaded.delete(path);
    this.#onChange();
  }

  removed(): void {
    this.#wanted = null;
  }

  /** Loads the picture of the view at which the screen has come to rest. */
  async #follow(): Promise<void> {
    if (!this.#wanted || this.#loaded.has(this.#wanted.path)) return;
    await this.#load(this.#wanted.path, this.#wanted.camera);
    this.#onChange();
  }

  async #load(path: string, camera: Camera): Promise<Loaded | null> {
    const picture = Object.assign(new Image(), { alt: '', draggable: false, src: path });
    const loading = picture.decode().then(() => ({ camera, picture }));
    const found = await loading.catch(() => null);
    this.#loaded.delete(path);
    this.#loaded.set(path, found);
    for (const old of [...this.#loaded.keys()].slice(0, -MOST_KEPT)) this.#loaded.delete(old);
    return found;
  }

  #show(next: Loaded | null): void {
    if (next === this.#shown) return;
    this.#shown = next;
    this.element.replaceChildren(...(next ? [next.picture] : []));
  }

  #place({ camera, size }: ScreenView): void {
    Object.assign(this.element.style, { left: '0', top: '0', width: `${size.width}px`, height: `${size.height}px` });
    if (!this.#shown) return;
    const { x, y } = onScreen(camera, size, this.#shown.camera);
    const scale = this.#shown.camera.scale / camera.scale;
    this.#shown.picture.style.transform = `translate(${x - size.width / 2}px,${y - size.height / 2}px) scale(${scale})`;
  }
}

let made: PictureSheet | null = null;

/** `onChange`: a picture has loaded or failed. */
export function pictureSheet(onChange: () => void): Sheet {
  made ??= new PictureSheet(onChange);
  return made;
}
