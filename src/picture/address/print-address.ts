// The address of a view: the notations of the API and of the links of helioviewer.org, so that both are understood.

import { formatIso } from '../../domain/time.ts';
import type { EventLayer } from '../events/event-layers.ts';
import { isDrawn, type Layer, printLayers } from '../layers.ts';
import { layerParameters } from '../operations/operations.ts';
import { printProjection } from '../projection.ts';
import { VIEW_OVERLAYS, type View } from './view.ts';

/** The visible layers, and the parameters of their operations, as requests of the API name them. */
export function drawnLayers(layers: readonly Layer[]): { readonly layers: string } & Readonly<Record<string, string>> {
  const drawn = layers.filter(isDrawn);
  return { layers: printLayers(drawn, formatIso), ...layerParameters(drawn) };
}

/** Types of events in the notation of the API. */
export function printEventLayers(events: readonly EventLayer[]): string {
  return events.map(({ pin, methods }) => `[${pin},${methods?.join(';') ?? 'all'},1]`).join(',');
}

const rounded = (value: number, digits: number) => String(Number(value.toFixed(digits)));

/** The query of a view, without `?`. Commas and colons stay readable, which queries allow (RFC 3986, section 3.4), and brackets, as browsers leave them. */
export function printAddress({ atMs, layers, centre, imageScale, events, overlays, ...view }: View): string {
  const pairs: [string, string][] = [];
  if (atMs !== null) pairs.push(['date', formatIso(atMs)]);
  pairs.push(['imageLayers', printLayers(layers, formatIso)], ...Object.entries(layerParameters(layers)));
  const projection = printProjection(view.projection, 1);
  if (projection) pairs.push(['projection', projection]);
  if (centre) pairs.push(['centerX', rounded(centre.x, 2)], ['centerY', rounded(centre.y, 2)]);
  if (imageScale !== null) pairs.push(['imageScale', rounded(imageScale, 6)]);
  if (events.length > 0) pairs.push(['eventLayers', printEventLayers(events)]);
  for (const [name, parameter] of Object.entries(VIEW_OVERLAYS))
    if (overlays[name as keyof typeof overlays]) pairs.push([parameter, 'true']);
  return pairs.map(([name, value]) => `${name}=${value}`).join('&');
}
