// Draws pictures that stand still as screenshots of the service, in browsers without WebGL 2. Loads with the first one.
import { PLANE } from '../../picture/projection.ts';
import { trailing } from '../../platform/util/trailing.ts';
import { picturePath } from '../api/pictures.ts';
import { type Camera, onScreen } from './geometry.ts';
import type { Frame, ScreenView, Sheet } from './picture.ts';

/** Rest of the view after which its own picture is requested, in milliseconds: a picture costs the service more than tiles. */
const REST_MS = 250;

/** Pictures that are kept: play loads ten ahead of the shown one. */
const MOST_KEPT = 12;

type Loaded = { readonly camera: Camera; readonly picture: HTMLImageElement };

function pathFor(frame: Frame, view: ScreenView): string | null {
  const layers = frame.map((layer) => ({ ...layer, isVisible: true }));
  return layers[0] ? picturePath({ atMs: layers[0].askedMs, layers, projection: PLANE }, view) : null;
}

function newSheet(onChange: () => void): Sheet {
  const element = Object.assign(document.createElement('div'), { className: 'motion' });
  /** Pictures by path, in the order of their loads; null for one that has failed. */
  const loaded = new Map<string, Loaded | null>();
  let shown: Loaded | null = null;
  let wanted: { readonly path: string; readonly camera: Camera } | null = null;

  async function load(path: string, camera: Camera): Promise<Loaded | null> {
    const picture = Object.assign(new Image(), { alt: '', draggable: false, src: path });
    const loading = picture.decode().then(() => ({ camera, picture }));
    const found = await loading.catch(() => null);
    loaded.delete(path);
    loaded.set(path, found);
    for (const old of [...loaded.keys()].slice(0, -MOST_KEPT)) loaded.delete(old);
    return found;
  }

  /** Loads the picture of the view at which the screen has come to rest. */
  const rest = trailing(REST_MS, async () => {
    if (!wanted || loaded.has(wanted.path)) return;
    await load(wanted.path, wanted.camera);
    onChange();
  });

  return {
    element,

    get state() {
      const found = wanted && loaded.get(wanted.path);
      return { isComplete: found !== undefined, failures: wanted && found === null ? 1 : 0 };
    },

    async load(frame, view) {
      const path = pathFor(frame, view);
      return path === null || (await load(path, view.camera)) !== null;
    },

    draw(frame, view) {
      const { camera, size } = view;
      const path = pathFor(frame, view);
      wanted = path === null ? null : { path, camera };
      const found = path === null ? null : loaded.get(path);
      if (found === undefined) rest.soon();
      else if ((found || path === null) && found !== shown) {
        shown = found;
        element.replaceChildren(...(shown ? [shown.picture] : []));
      }
      Object.assign(element.style, { left: '0', top: '0', width: `${size.width}px`, height: `${size.height}px` });
      if (!shown) return;
      const { x, y } = onScreen(camera, size, shown.camera);
      const scale = shown.camera.scale / camera.scale;
      shown.picture.style.transform = `translate(${x - size.width / 2}px,${y - size.height / 2}px) scale(${scale})`;
    },

    retry() {
      for (const [path, found] of loaded) if (!found) loaded.delete(path);
      onChange();
    },

    removed() {
      wanted = null;
    },
  };
}

let made: Sheet | null = null;

/** `onChange`: a picture has loaded or failed. */
export function pictureSheet(onChange: () => void): Sheet {
  made ??= newSheet(onChange);
  return made;
}
