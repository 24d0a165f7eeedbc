// Content of the screen, and the user's changes that it keeps when another view has loaded.
import { type View, viewOverlays } from '../../picture/address/view.ts';
import type { Layer } from '../../picture/layers.ts';
import { colourOperations, levelOperations } from '../../picture/operations/operations.ts';
import { pictureKey } from '../../picture/picture.ts';
import type { ImageRecord } from '../api/image-record.ts';

export interface Shown {
  /** With the time that was asked for. */
  readonly view: View & { readonly atMs: number };
  readonly isNewest: boolean;
  /** Images by layer; null for a hidden layer and for a source without images. */
  readonly images: readonly (ImageRecord | null)[];
  /** Keys by layer, equal for a layer in successive views. */
  readonly keys: readonly number[];
}

type Keyed = Pick<Shown, 'keys' | 'view'>;

/** `asked`, unless the user has changed the value since. */
const latest = <T>(asked: T, before: T, now: T): T => (pictureKey([before]) === pictureKey([now]) ? asked : now);

const layerOf = ({ keys, view }: Keyed, key: number): Layer | undefined => view.layers[keys.indexOf(key)];

/** The places of layers in `asked`, those that are also in `now` in its order if that has changed. */
function orderOf(asked: readonly number[], before: readonly number[], now: readonly number[]): readonly number[] {
  const isCommon = (key: number) => before.includes(key) && now.includes(key);
  const order = now.filter((key) => isCommon(key) && asked.includes(key));
  const former = before.filter((key) => order.includes(key));
  if (pictureKey(order) === pictureKey(former)) return asked;
  const rest = [...order];
  return asked.map((key) => (order.includes(key) ? rest.shift()! : key));
}

/**
 * The state to show for `asked`, whose load began in the state `before`, in the present state `now`: place, opacity, colours and order of layers,
 * and overlays are those of `now` where they have changed since, because the user has changed them.
 */
export function rebased(asked: Shown, before: Shown | null, now: Shown | null): Shown {
  if (!before || !now) return asked;
  const keys = orderOf(asked.keys, before.keys, now.keys);
  const indices = keys.map((key) => asked.keys.indexOf(key));
  const layers = indices.map((index, i) => {
    const layer = asked.view.layers[index]!;
    const [former, present] = [layerOf(before, keys[i]!), layerOf(now, keys[i]!)];
    if (!former || !present) return layer;
    const style = <T>(of: (layer: Layer) => T) => latest(of(layer), of(former), of(present));
    const { sourceId, isVisible } = layer;
    const opacity = style((one) => one.opacity);
    return { sourceId, isVisible, opacity, ...levelOperations(layer), ...style(colourOperations) };
  });
  const place = ({ view: { projection, centre, imageScale } }: Shown) => ({ projection, centre, imageScale });
  const overlays = viewOverlays((name) => latest(asked.view.overlays[name], before.view.overlays[name], now.view.overlays[name]));
  return {
    ...asked,
    view: {
      ...asked.view,
      ...latest(place(asked), place(before), place(now)),
      layers,
      events: latest(asked.view.events, before.view.events, now.view.events),
      overlays,
    },
    images: indices.map((index) => asked.images[index]!),
    keys,
  };
}
