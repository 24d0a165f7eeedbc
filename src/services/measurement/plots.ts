// Plots of light curves and time-distance maps. Only the composition imports them, because they need the font and the rasteriser.

import { paletteOf } from '../../imaging/colour/palette.ts';
import { type CurvePanel, curvePlot } from '../../imaging/plots/curve-plot.ts';
import { mapPng } from '../../imaging/plots/map-plot.ts';
import { pixelsPng, plotPixels } from '../../imaging/plots/plot-png.ts';
import { GREY_PALETTE } from '../../picture/colours.ts';
import { layerLabel } from '../../picture/layers.ts';
import { unitOf } from './curve-files.ts';
import type { CurveItem, CurveRequest, LightCurve } from './curves.ts';
import { regionText } from './regions.ts';
import { colourTransfer } from './series-files.ts';
import type { PathRequest, TimeDistanceMap } from './time-distance.ts';

/** The lines above a plot: the datasource, what is measured, and the law of the first image, if values are. */
function titlesOf({ isSynthetic, confirmed }: LightCurve['first'], request: CurveRequest | PathRequest, what: string): string[] {
  return [
    `${layerLabel(request)}${isSynthetic ? ' (synthetic)' : ''}`,
    `${what}, ${request.isTracked ? 'rotating with the Sun' : 'fixed'}`,
    request.isRaw ? 'Levels of the images, not physical values' : `Law: ${confirmed.law.name} (${confirmed.status})`,
  ];
}

/** A plot with a panel for each figure. */
function curvePicture({ first }: LightCurve, request: CurveRequest, items: readonly CurveItem[]) {
  const { region, threshold, names } = request;
  const { law } = first.confirmed;
  const panels = names.map((name): CurvePanel => {
    const points = items.map((item) => {
      const { value, lower, upper } = item.result?.figures[name] ?? { value: null, lower: null, upper: null };
      return { atMs: item.atMs, value, lower, upper };
    });
    const title = name === 'area' ? `area > ${threshold} ${law.unit}` : name;
    return { name: title, unit: unitOf(name, law.unit), points };
  });
  return curvePlot(titlesOf(first, request, regionText(region)), panels);
}

async function curvePng(...curve: Parameters<typeof curvePicture>): Promise<Uint8Array> {
  const { svg, width, height } = curvePicture(...curve);
  return pixelsPng(await plotPixels(svg, width, height), width, height);
}

/** A plot in the colours of the datasource. */
async function plottedMap(map: TimeDistanceMap, request: PathRequest): Promise<Uint8Array> {
  const columns = [];
  for await (const { atMs, result } of map.items()) columns.push({ atMs, values: result });
  const { first, step, vertices } = map;
  const { law } = first.confirmed;
  const [from, to] = [vertices[0]!, vertices.at(-1)!];
  const place = ({ x, y }: { readonly x: number; readonly y: number }) => `(${Math.round(x)}", ${Math.round(y)}")`;
  const corners = vertices.length > 2 ? `path of ${vertices.length} vertices` : 'path';
  const titles = titlesOf(first, request, `${corners} from ${place(from)} to ${place(to)}, ${request.width}" wide`);
  // A radial path shows the distance from the centre of the Sun.
  const offset =
    request.parameter === 'radial'
      ? { from: Math.hypot(from.x, from.y), title: 'Distance from the centre of the Sun' }
      : { from: 0, title: 'Distance along the path' };
  return mapPng({
    titles,
    columns,
    offset: { ...offset, step, unit: 'arcsec' },
    unit: law.unit,
    palette: paletteOf(first.image.sourceId, first.image.takenAtMs, null) ?? GREY_PALETTE,
    transfer: colourTransfer(law),
  });
}

export const PLOTS = {
  /** A light curve as SVG. */
  curveSvg: (...curve: Parameters<typeof curvePicture>): string => curvePicture(...curve).svg,
  curvePng,
  mapPng: plottedMap,
} as const;
export type Plots = typeof PLOTS;
