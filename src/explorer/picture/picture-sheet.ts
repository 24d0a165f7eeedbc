// Draws pictures that stand still as screenshots of the service, in browsers without WebGL 2. Loads with the first one.
import { PLANE } from '../../picture/projection.ts';
import { trailing } from '../../platform/util/trailing.ts';
import { picturePath } from '../api/pictures.ts';
import { type Camera, onScreen } from './geometry.ts';
import type { Frame, PictureState, ScreenView, Sheet } from './picture.ts';

/** Rest of the view after which its own picture is requested, in milliseconds: a picture costs the service more than tiles. */
const REST_MS = 250;

type Loaded = { readonly path: string; readonly camera: Camera; readonly picture: HTMLImageElement };

function pathFor(frame: Frame, view: ScreenView): string | null {
  const layers = frame.map((layer) => ({ ...layer, isVisible: true }));
  return layers[0] ? picturePath({ atMs: layers[0].askedMs, layers, projection: PLANE }, view) : null;
}

async function loaded(path: string, camera: Camera): Promise<Loaded | null> {
  const picture = Object.assign(new Image(), { alt: '', draggable: false, src: path });
  return picture.decode().then(
    () => ({ path, camera, picture }),
    () => null,
  );
}

class PictureSheet implements Sheet {
  readonly element = Object.assign(document.createElement('div'), { className: 'motion' });
  readonly #onChange: () => void;
  #shown: Loaded | null = null;
  #prepared: Loaded | null = null;
  #wanted: Pick<Loaded, 'path' | 'camera'> | null = null;
  #failed: string | null = null;
  readonly #rest = trailing(REST_MS, () => void this.#follow());

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get state(): PictureState {
    const path = this.#wanted?.path;
    const hasFailed = path !== undefined && path === this.#failed;
    const isComplete = path === undefined || path === this.#shown?.path || hasFailed;
    return { isComplete, failures: hasFailed ? 1 : 0 };
  }

  async load(frame: Frame, view: ScreenView, signal: AbortSignal): Promise<boolean> {
    const path = pathFor(frame, view);
    const prepared = path === null ? null : await loaded(path, view.camera);
    if (!signal.aborted) this.#prepared = prepared;
    return path === null || prepared !== null;
  }

  draw(frame: Frame, view: ScreenView): void {
    const path = pathFor(frame, view);
    this.#wanted = path === null ? null : { path, camera: view.camera };
    if (path === null) this.#show(null);
    else if (path === this.#prepared?.path) this.#show(this.#prepared);
    else if (path !== this.#shown?.path && path !== this.#failed) this.#rest.soon();
    this.#place(view);
  }

  retry(): void {
    this.#failed = null;
    this.#onChange();
  }

  removed(): void {
    this.#wanted = null;
  }

  /** Loads the picture of the view at which the screen has come to rest. */
  async #follow(): Promise<void> {
    const wanted = this.#wanted;
    if (!wanted || wanted.path === this.#shown?.path) return;
    const found = await loaded(wanted.path, wanted.camera);
    if (wanted.path !== this.#wanted?.path) return;
    if (found) this.#show(found);
    else this.#failed = wanted.path;
    this.#onChange();
  }

  #show(next: Loaded | null): void {
    this.#prepared = null;
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
