// Events of stored views: older web clients store them as trees (`eventLayers`), later ones as paths.

import { spellings } from '../../picture/events/paths.ts';
import { isJsonObject } from '../../util/json.ts';
import { EVENT_SOURCES, type EventSource, PATH_SEPARATOR, typesOf } from '../events/event-types.ts';

type Tree = Readonly<Record<string, unknown>>;

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

/** The method of `PIN--FRM--<id in Base64>`. */
const methodOf = (instance: string): string[] => instance.split('--').slice(1, -1);

/** The paths of the pins and methods of a layer. */
function layerPaths(source: EventSource, layer: unknown): string[] {
  const { event_type: pin, frms, event_instances: instances } = isJsonObject(layer) ? layer : {};
  const type = typesOf(source).find((one) => one.pin === pin);
  if (!type) return [];
  const above = `${source}${PATH_SEPARATOR}${type.concept}`;
  const methods = [...textsOf(frms), ...textsOf(instances).flatMap(methodOf)];
  if (methods.includes('all')) return [above];
  return methods.flatMap(spellings).map((method) => `${above}${PATH_SEPARATOR}${method}`);
}

function treePaths(source: EventSource, { markers_visible: markers, layers, layers_v2: paths }: Tree): string[] {
  if (markers === false) return [];
  const given = textsOf(paths);
  return given.length > 0 ? given : (Array.isArray(layers) ? layers : []).flatMap((layer) => layerPaths(source, layer));
}

/** The view with the events of its trees as paths too. A view that has paths is unchanged. */
export function withSelections(view: Tree): Tree {
  if (view.event_selections !== undefined || !isJsonObject(view.eventLayers)) return view;
  const { eventLayers } = view;
  const treeOf = (source: EventSource): Tree => {
    const tree = eventLayers[`tree_${source}`];
    return isJsonObject(tree) ? tree : {};
  };
  const visibility = EVENT_SOURCES.map((source) => {
    const { markers_visible: markers, labels_visible: labels } = treeOf(source);
    return [source, { marker_visibility: markers !== false, label_visibility: labels !== false }];
  });
  return {
    ...view,
    event_selections: [...new Set(EVENT_SOURCES.flatMap((source) => treePaths(source, treeOf(source))))],
    event_visibility_selections: Object.fromEntries(visibility),
  };
}
