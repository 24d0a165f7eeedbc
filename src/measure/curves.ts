// Requests for light curves, and their rows, from pixels or from grids.
import type { ArchivedImage } from '../sun/image.ts';
import type { ConfirmedLaw } from '../sun/laws/gate.ts';
import type { ByteLaw } from '../sun/laws/law.ts';
import type { FigureName, RegionFigures } from '../sun/laws/value.ts';
import type { GridSide } from './grids/image-grid.ts';
import type { OfLevels } from './image-laws.ts';
import type { SeriesReason, SeriesRequest } from './image-series.ts';
import type { RegionRequest, Tracking } from './regions.ts';

export const GRID_CHOICES = ['auto', 'true', 'false'] as const;

export interface CurveRequest extends SeriesRequest, OfLevels, Tracking {
  /** Null: the whole image. */
  readonly region: RegionRequest | null;
  readonly names: readonly FigureName[];
  readonly threshold: number | null;
  /** Whether cells of grids are measured in place of pixels; `auto`: where there are too many images, and cells give the figures. */
  readonly grid: (typeof GRID_CHOICES)[number];
}

/** A member of a curve: figures, or the reason why there are none. */
export interface CurveItem {
  readonly atMs: number;
  readonly image: (Pick<ArchivedImage, 'id'> & Partial<Pick<ArchivedImage, 'sha256'>>) | null;
  readonly result: RegionFigures | null;
  readonly reason: SeriesReason | null;
  /** Present in an item with figures. */
  readonly member?: { readonly confirmed: Pick<ConfirmedLaw, 'status'> & { readonly law: Pick<ByteLaw, 'unit'> } };
}

/** Facts of the grids from which a light curve was read. */
interface CurveGrid {
  /** Cells along each side of an image, and the width of one. */
  readonly cells: GridSide;
  readonly cellArcsec: number;
  /** Days with images and without grids, as `2024-05-10`. */
  readonly missingDays: readonly string[];
}

export interface LightCurve {
  /** Facts of the first image that has values. */
  readonly first: { readonly confirmed: Pick<ConfirmedLaw, 'law' | 'status' | 'caveats'>; readonly isSynthetic: boolean };
  /** Images and rows, which are more by the gaps. */
  readonly images: number;
  readonly rows: number;
  readonly grid: CurveGrid | null;
  /** Can be called once. */
  items(): AsyncGenerator<CurveItem>;
}
