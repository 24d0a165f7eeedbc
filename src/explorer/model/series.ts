// Light curves and time-distance maps as the explorer asks for them and receives them, row by row, and programs that repeat them.
import type { Schemas } from '../../../clients/typescript/operations.ts';
import { SECOND_MS } from '../../platform/util/durations.ts';
import type { FigureName } from '../../sun/laws/value.ts';
import { formatIso } from '../../sun/time.ts';
import { lengthOf, type Shape, shapeParameters } from './measured-shape.ts';
import type { Range } from './timeline.ts';

const endsOf = (name: FigureName) => `curve["${name}Lower"], curve["${name}Upper"]`;

function curveScript(names: readonly FigureName[], address: string): string {
  return `import matplotlib.pyplot as plt
import pandas

curve = pandas.read_csv("${address}", parse_dates=["date"])
figure, panels = plt.subplots(${names.length}, sharex=True, squeeze=False)
${names
  .map(
    (name, i) => `axes = panels[${i}, 0]
axes.fill_between(curve["date"], ${endsOf(name)}, alpha=0.3)
axes.plot(curve["date"], curve["${name}"])
axes.set_ylabel(f'${name} ({${name === 'area' ? '"arcsec2"' : 'curve["unit"].dropna().iloc[0]'}})')
`,
  )
  .join('')}plt.show()
`;
}

const mapScript = (address: string) => `import io
from urllib.request import urlopen

import matplotlib.pyplot as plt
import numpy
from astropy.io import fits
from astropy.time import Time

with fits.open(io.BytesIO(urlopen("${address}").read())) as file:
    values, unit = file[0].data, file[0].header["BUNIT"]  # (images, positions)
    times = Time(list(file["IMAGES"].data["date"])).datetime
    offsets = numpy.asarray(file["PATH"].data["offset"])
plt.pcolormesh(times, offsets, values.T, shading="nearest")
plt.ylabel("Distance along the path (arcsec)")
plt.colorbar(label=unit)
plt.show()
`;

/** Programs that repeat a series. @param address Of its file in a format */
export function seriesCode(series: Series, address: (format: string) => string) {
  const curl = (name: string, formats: readonly string[]) =>
    formats.map((format) => `curl -g -o ${name}.${format} "${address(format)}"\n`).join('');
  const [shell, python] =
    series.operation === 'getLightCurve'
      ? [curl('curve', ['csv', 'fits']), curveScript(series.statistics, address('csv'))]
      : [curl('map', ['fits', 'png']), mapScript(address('fits'))];
  return [
    { name: 'curl', text: shell },
    { name: 'Python', text: python },
  ];
}

interface SeriesBase extends Range {
  readonly sourceId: number;
  /** Seconds between images; null for every image. */
  readonly cadenceSeconds: number | null;
  readonly shape: Shape;
  /** The time from which the shape rotates with the Sun, milliseconds since 1970; null for a fixed one. */
  readonly trackFromMs: number | null;
  /** Whether the levels of the images, which all of them have, are measured in place of their values. */
  readonly isOfLevels: boolean;
}

export interface CurveSeries extends SeriesBase {
  readonly operation: 'getLightCurve';
  readonly statistics: readonly FigureName[];
  /** Value above which the area is counted; of no meaning without the figure `area`. */
  readonly threshold: number;
}

export interface MapSeries extends SeriesBase {
  readonly operation: 'getTimeDistance';
  /** Arcseconds over which a value is a mean, and between positions. */
  readonly width: number;
  readonly step: number;
}

export type Series = CurveSeries | MapSeries;

export function seriesParameters(series: Series): Readonly<Record<string, string | number>> {
  const { sourceId, startMs, endMs, cadenceSeconds, shape, trackFromMs, isOfLevels } = series;
  const range = { sourceId, startTime: formatIso(startMs), endTime: formatIso(endMs) };
  const cadence = cadenceSeconds === null ? {} : { cadence: cadenceSeconds };
  const track = trackFromMs === null ? {} : { track: 'rotation', trackFrom: formatIso(trackFromMs) };
  const figures =
    series.operation === 'getTimeDistance'
      ? { width: series.width, step: series.step }
      : { statistics: series.statistics.join(), ...(series.statistics.includes('area') && { threshold: series.threshold }) };
  return { ...range, ...cadence, ...shapeParameters(shape), ...figures, ...track, ...(isOfLevels && { raw: 'true' }) };
}

/** Positions of a map: as many as 1000 images may have in JSON. */
const MOST_POSITIONS = 256;

/** The least round distance of positions along a path, arcseconds, at which a map of many images can be shown. `pixel`: arcseconds */
export function usualStep(shape: Shape, pixel: number): number {
  const step = Math.max(pixel, lengthOf(shape) / (MOST_POSITIONS - 1));
  return Number((Math.ceil(step * 100) / 100).toFixed(2));
}

/** Offered intervals, seconds. */
export const CADENCES = [60, 120, 300, 720, 1800, 3600, 21_600, 86_400] as const;
/** Images of a measurement that is not asked to have more. */
const USUAL_IMAGES = 240;

/** The interval for a range whose source has an image each `sourceSeconds`, which is null for one image alone: null for all images. */
export function usualCadence(rangeMs: number, sourceSeconds: number | null): number | null {
  const rangeSeconds = rangeMs / SECOND_MS;
  if (sourceSeconds === null || rangeSeconds / sourceSeconds <= USUAL_IMAGES) return null;
  const least = Math.max(rangeSeconds / USUAL_IMAGES, sourceSeconds);
  return CADENCES.find((seconds) => seconds >= least) ?? Math.ceil(least / CADENCES.at(-1)!) * CADENCES.at(-1)!;
}

export type CurveRow = Schemas['LightCurve']['curve'][number];
export type MapRow = Schemas['TimeDistanceMap']['map'][number];
export type SeriesRow = Pick<CurveRow, 'id' | 'date' | 'reason'>;

/** What comes before the rows. */
export type SeriesFacts = Omit<Schemas['TimeDistanceMap'], 'map' | 'step' | 'width' | 'path'> &
  Partial<Pick<Schemas['LightCurve'], 'areaUnit'>>;

/** Reads the JSON of a series as it comes: a line with the facts, which ends where the list begins, a line for each row, and the end. */
export class SeriesReader<Row extends SeriesRow> {
  facts: SeriesFacts | null = null;
  isComplete = false;
  #rest = '';

  add(text: string): Row[] {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop()!;
    if (lines.length > 0) this.facts ??= JSON.parse(`${lines.shift()}]}`) as SeriesFacts;
    this.isComplete ||= lines.some((line) => line.startsWith(']'));
    return lines.filter((line) => line !== '' && !line.startsWith(']')).map((line) => JSON.parse(line.replace(/,$/, '')) as Row);
  }
}

export function reasonsOf(rows: readonly { readonly reason: string | null }[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { reason } of rows) if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return counts;
}

/** The index of the row nearest to a time, of rows in the order of time; -1 without rows. */
export function nearestRow(times: readonly number[], atMs: number): number {
  let nearest = -1;
  for (const [i, ms] of times.entries()) if (nearest < 0 || Math.abs(ms - atMs) < Math.abs(times[nearest]! - atMs)) nearest = i;
  return nearest;
}
