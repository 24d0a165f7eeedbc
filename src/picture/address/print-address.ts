// The address of a view: the notations of the API and of the links of helioviewer.org, so that both are understood.

import { formatIso } from '../../domain/time.ts';
import { printDifference } from '../operations/difference.ts';
import { printRanges } from '../operations/range.ts';
import { printProjection } from '../projection.ts';
import type { EventLayer, View, ViewLayer } from './view.ts';

const layerText = ({ sourceId, isVisible, opacity, difference }: ViewLayer) =>
  `[${sourceId},${isVisible ? 1 : 0},${opacity}${printDifference(difference, formatIso)}]`;

/** Layers in the notation of `imageLayers`, the hidden ones too. */
function printViewLayers(layers: readonly ViewLayer[]): string {
  return layers.map(layerText).join(',');
}

/** The visible layers in the notation of the API. */
export function printVisibleLayers(layers: readonly ViewLayer[]): string {
  return printViewLayers(layers.filter(({ isVisible, opacity }) => isVisible && opacity > 0));
}

/** Types of events in the notation of the API. */
export function printEventLayers(events: readonly EventLayer[]): string {
  return events.map(({ pin, methods }) => `[${pin},${methods?.join(';') ?? 'all'},1]`).join(',');
}

const rounded = (value: number, digits: number) => String(Number(value.toFixed(digits)));

/** The query of a view, without `?`. Commas and colons stay readable, which queries allow (RFC 3986, section 3.4), and brackets, as browsers leave them. */
export function printAddress({ atMs, layers, centre, imageScale, events, hasGrid, hasEarth, hasBodies, ...view }: View): string {
  const pairs: [string, string][] = [];
  if (atMs !== null) pairs.push(['date', formatIso(atMs)]);
  pairs.push(['imageLayers', printViewLayers(layers)]);
  const ranges = printRanges(layers.map(({ range }) => range));
  if (ranges) pairs.push(['ranges', ranges]);
  const projection = printProjection(view.projection);
  if (projection) pairs.push(['projection', projection]);
  if (centre) pairs.push(['centerX', rounded(centre.x, 2)], ['centerY', rounded(centre.y, 2)]);
  if (imageScale !== null) pairs.push(['imageScale', rounded(imageScale, 6)]);
  if (events.length > 0) pairs.push(['eventLayers', printEventLayers(events)]);
  if (hasGrid) pairs.push(['grid', 'true']);
  if (hasEarth) pairs.push(['earth', 'true']);
  if (hasBodies) pairs.push(['bodies', 'true']);
  return pairs.map(([name, value]) => `${name}=${value}`).join('&');
}
