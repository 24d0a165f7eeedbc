// The colours in which an image is drawn. A palette is 256 times R, G, B; palettes are shared and must not be written to.
import { DAY_MS } from '../../platform/util/durations.ts';
import type { BrightnessCurve } from '../../sun/catalogue/datasource.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import { spreadColours } from '../colours.ts';
import { channelValues, TABLES } from './tables.ts';

/** Brightness factor on the UTC day of an image: linear between two days of the curve, constant before the first and after the last. */
export function brightnessOn(curve: BrightnessCurve, takenAtMs: number): number {
  const day = Math.floor(takenAtMs / DAY_MS);
  const points = curve.map(([date, brightness]) => ({ day: Date.parse(date) / DAY_MS, brightness }));
  const after = points.findIndex((point) => point.day >= day);
  if (after < 0) return points.at(-1)!.brightness;
  if (after === 0) return points[0]!.brightness;
  const [from, to] = [points[after - 1]!, points[after]!];
  return from.brightness + ((to.brightness - from.brightness) * (day - from.day)) / (to.day - from.day);
}

/** Applies a brightness b to a colour table (256 RGB): gamma 1 + (b - 1) / 2, then b times the lightness, interpolated linearly. */
export function applyBrightness(table: Uint8Array, brightness: number): Uint8Array {
  const gamma = 1 + (brightness - 1) / 2;
  return spreadColours(table, (level) => 255 * Math.min(1, brightness * (level / 255) ** (1 / gamma)));
}

const built = new Map<string, Uint8Array>();

/** The palette of a colour table. @throws RangeError for an unknown name */
export function colourTable(name: string): Uint8Array {
  const known = built.get(name);
  if (known) return known;
  if (!Object.hasOwn(TABLES, name)) throw new RangeError(`No colour table has the name ${name}.`);
  const channels = TABLES[name]!.map(channelValues);
  const table = Uint8Array.from({ length: 256 * 3 }, (_, i) => channels[i % 3]![Math.floor(i / 3)]!);
  built.set(name, table);
  return table;
}

/** The palette of an image; null for grey. @param embedded Palette of the JP2 file, if it has one */
export function paletteOf(sourceId: number, takenAtMs: number, embedded: Uint8Array | null): Uint8Array | null {
  const source = findSource(sourceId);
  if (embedded && takenAtMs < (source?.ownPaletteUntilMs ?? Number.NEGATIVE_INFINITY)) return embedded;
  if (!source?.colourTable) return null;
  const table = colourTable(source.colourTable);
  return source.brightness ? applyBrightness(table, brightnessOn(source.brightness, takenAtMs)) : table;
}
