// The colours in which an image is drawn. A palette is 256 times R, G, B; palettes are shared and must not be written to.
import { findSource } from '../../domain/catalogue/sources.ts';
import { DAY_MS } from '../../util/durations.ts';
import { channelValues, TABLES } from './tables.ts';

/** Brightness of AIA 304, which has lost sensitivity since launch. The curve is linear between these days. */
const KNOTS: readonly (readonly [day: string, brightness: number])[] = [
  ['2010-06-02', 0.9519],
  ['2011-01-26', 0.9821],
  ['2011-02-12', 0.9281],
  ['2011-09-15', 1.0078],
  ['2011-12-22', 0.998],
  ['2012-04-13', 1.0029],
  ['2013-01-21', 0.9772],
  ['2014-04-04', 1.04],
  ['2014-08-18', 1.097],
  ['2014-12-27', 1.1052],
  ['2015-10-13', 1.2325],
  ['2015-10-29', 1.2228],
  ['2016-02-15', 1.2465],
  ['2016-07-06', 1.3166],
  ['2017-01-25', 1.3394],
  ['2017-05-20', 1.3714],
  ['2017-10-31', 1.3599],
  ['2018-08-26', 1.3962],
  ['2019-09-03', 1.4049],
];
const points = KNOTS.map(([day, brightness]) => ({ day: Date.parse(day) / DAY_MS, brightness }));

/** Brightness factor on the UTC day of an image, 0.928..1.405; constant before the first and after the last knot. */
export function aia304Brightness(takenAtMs: number): number {
  const day = Math.floor(takenAtMs / DAY_MS);
  const after = points.findIndex((point) => point.day >= day);
  if (after < 0) return points.at(-1)!.brightness;
  if (after === 0) return points[0]!.brightness;
  const [from, to] = [points[after - 1]!, points[after]!];
  return from.brightness + ((to.brightness - from.brightness) * (day - from.day)) / (to.day - from.day);
}

/**
 * Applies a brightness factor b to a colour table (256 times RGB): gamma 1 + (b - 1) / 2, then b times the lightness, with linear
 * interpolation between neighbouring colours.
 */
export function applyBrightness(table: Uint8Array, brightness: number): Uint8Array {
  const gamma = 1 + (brightness - 1) / 2;
  const corrected = new Uint8Array(table.length);
  for (let sample = 0; sample < 256; sample++) {
    const level = 255 * Math.min(1, brightness * (sample / 255) ** (1 / gamma));
    const below = Math.min(254, Math.floor(level));
    for (let channel = 0; channel < 3; channel++) {
      const [low, high] = [table[below * 3 + channel]!, table[(below + 1) * 3 + channel]!];
      corrected[sample * 3 + channel] = Math.round(low + (high - low) * (level - below));
    }
  }
  return corrected;
}

/** The palette of images without a colour table: sample i is the grey i, i, i. */
export const GREY_PALETTE = Uint8Array.from({ length: 256 * 3 }, (_, i) => Math.floor(i / 3));

const AIA_304_ID = 13;

const built = new Map<string, Uint8Array>();

function build(name: string): Uint8Array {
  if (!Object.hasOwn(TABLES, name)) throw new RangeError(`No colour table has the name ${name}.`);
  const channels = TABLES[name]!.map(channelValues);
  return Uint8Array.from({ length: 256 * 3 }, (_, i) => channels[i % 3]![Math.floor(i / 3)]!);
}

/**
 * The palette of a colour table.
 *
 * @throws RangeError for an unknown name
 */
export function colourTable(name: string): Uint8Array {
  const table = built.get(name) ?? build(name);
  built.set(name, table);
  return table;
}

/**
 * The palette of an image; null for grey.
 *
 * @param embedded Palette of the JP2 file, if it has one
 */
export function paletteOf(sourceId: number, takenAtMs: number, embedded: Uint8Array | null): Uint8Array | null {
  const source = findSource(sourceId);
  if (embedded && takenAtMs < (source?.ownPaletteUntilMs ?? Number.NEGATIVE_INFINITY)) return embedded;
  if (!source?.colourTable) return null;
  const table = colourTable(source.colourTable);
  return source.id === AIA_304_ID ? applyBrightness(table, aia304Brightness(takenAtMs)) : table;
}
