// What the grids of images are read with: coordinates and laws, which most images of a day share.
import type { Wcs } from '../wcs.ts';
import type { LawStatus } from './candidates.ts';
import type { ByteLaw } from './law.ts';

/** Facts that images of a source share for days. */
export interface GridView {
  readonly width: number;
  readonly height: number;
  /** Without observer and time; null for an image without coordinates. */
  readonly wcs: Wcs | null;
  readonly arcsecPerPixel: number;
  /** With the ends of an image in place of `least` and `greatest`. */
  readonly law: ByteLaw;
  readonly status: LawStatus;
  readonly caveats: readonly string[];
  /** Levels by which a mean may be off because the file is lossy. */
  readonly lossyLevels: number;
  readonly isSynthetic: boolean;
}

export interface GriddedImage {
  readonly id: number;
  readonly takenAtMs: number;
  /** Least and greatest value by the header; null where it does not tell. */
  readonly least: number | null;
  readonly greatest: number | null;
  readonly view: GridView;
}

/** Images as JSON: each view once. */
interface StoredTable {
  readonly views: readonly GridView[];
  /** Id, time, number of the view, least and greatest value. */
  readonly images: readonly (readonly [number, number, number, number | null, number | null])[];
}

export function tableText(images: readonly GriddedImage[]): string {
  const numbers = new Map<string, number>();
  const rows = images.map(({ id, takenAtMs, view, least, greatest }) => {
    const text = JSON.stringify(view);
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return [id, takenAtMs, number, least, greatest] as const;
  });
  const views = [...numbers.keys()].map((text) => JSON.parse(text) as GridView);
  return JSON.stringify({ views, images: rows } satisfies StoredTable);
}

export function imagesOfTable(text: string): GriddedImage[] {
  const { views, images } = JSON.parse(text) as StoredTable;
  return images.map(([id, takenAtMs, view, least, greatest]) => ({ id, takenAtMs, least, greatest, view: views[view]! }));
}
