// Actions of the panels on the layers of the view, and on what lies over them.
import type { View } from '../../picture/address/view.ts';
import { type Layer, plainLayer } from '../../picture/layers.ts';
import { layersAsked, showLayers } from './actions.ts';
import { currentPicture, frameOf, settle } from './open.ts';
import { drawnOperations, type Shown, screen, shown } from './state.ts';

/** Changes that need no new image: opacity, colours, order and removal. */
function restyle(next: Shown): void {
  settle(next);
  currentPicture()?.restyle(frameOf(next));
}

function styleLayers(styleOf: (index: number) => Partial<Layer>): void {
  const state = screen.value!;
  const layers = state.view.layers.map((layer, i) => ({ ...layer, ...styleOf(i) }));
  restyle({ ...state, view: { ...state.view, layers } });
}

export const styleLayer = (index: number, style: Partial<Pick<Layer, 'opacity' | 'range' | 'tint' | 'blend'>>): void =>
  styleLayers((i) => (i === index ? style : {}));

/** A layer as the picture shows it, which may be the one before its enhancement. */
export const drawnLayer = (layer: Layer): Layer => {
  const { sourceId, isVisible, opacity } = layer;
  return { sourceId, isVisible, opacity, ...drawnOperations(layer) };
};

export const isGrey = (layers: readonly Layer[]): boolean => layers.every(({ grey }) => grey);

export const setGrey = (grey: boolean): void => styleLayers(() => ({ grey: grey || undefined }));

export function moveLayer(index: number, by: -1 | 1): void {
  const state = screen.value!;
  const other = index + by;
  if (other < 0 || other >= state.view.layers.length) return;
  const swapped = <T>(list: readonly T[]): T[] => list.with(index, list[other]!).with(other, list[index]!);
  restyle({
    ...state,
    view: { ...state.view, layers: swapped(state.view.layers) },
    images: swapped(state.images),
    keys: swapped(state.keys),
  });
}

export function changeLayer(index: number, part: Partial<Layer>): Promise<boolean> {
  const shownKey = shown.value!.keys[index];
  return showLayers(layersAsked().map(({ key, layer }) => ({ key, layer: key === shownKey ? { ...layer, ...part } : layer })));
}

/** Adds a layer above those of the same or a lower order, as `layeringOrder` of the catalogue gives it. */
export function addLayer(sourceId: number, orderOf: (sourceId: number) => number): Promise<boolean> {
  const asked = layersAsked();
  const above = asked.findIndex(({ layer }) => orderOf(layer.sourceId) > orderOf(sourceId));
  const grey = isGrey(asked.map(({ layer }) => layer)) || undefined;
  const added = { key: null, layer: { ...plainLayer(sourceId), ...(grey && { grey }) } };
  return showLayers(asked.toSpliced(above < 0 ? asked.length : above, 0, added));
}

export function setOption(part: Partial<Pick<View, 'overlays' | 'events'>>): void {
  const state = screen.value;
  if (state) settle({ ...state, view: { ...state.view, ...part } });
}
