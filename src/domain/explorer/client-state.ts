// A view that the official web client shared, as a view of the explorer.
import { findSource } from '../catalogue/sources.ts';
import { NO_DIFFERENCE } from '../recipe/difference.ts';
import { MOST_LAYERS, NEWEST_SUN, type View, type ViewLayer } from './view.ts';

const numberOr = <T>(value: unknown, otherwise: T): number | T =>
  typeof value === 'number' && Number.isFinite(value) ? value : otherwise;

function layerOf(value: unknown): ViewLayer[] {
  const { sourceId, visible, opacity } = (value ?? {}) as Record<string, unknown>;
  const source = findSource(Number(sourceId));
  if (!source) return [];
  const isVisible = visible !== false && visible !== 0;
  return [
    { sourceId: source.id, isVisible, opacity: Math.min(Math.max(numberOr(opacity, 100), 0), 100), difference: NO_DIFFERENCE },
  ];
}

/** The view, with defaults for fields that are missing or unusable. Differences and bodies are left out. */
export function viewOfClientState(state: object): View {
  const { date, centerX, centerY, imageScale, imageLayers } = state as Record<string, unknown>;
  const layers = Array.isArray(imageLayers) ? imageLayers.flatMap(layerOf).slice(0, MOST_LAYERS) : [];
  const [x, y] = [numberOr(centerX, null), numberOr(centerY, null)];
  const scale = numberOr(imageScale, null);
  return {
    ...NEWEST_SUN,
    atMs: numberOr(date, null),
    layers: layers.length > 0 ? layers : NEWEST_SUN.layers,
    centre: x === null || y === null ? null : { x, y },
    imageScale: scale !== null && scale > 0 ? scale : null,
  };
}
