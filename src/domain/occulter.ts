// The visible ring of a coronagraph image, between the occulter and the edge of the field.
import type { MaskCircle } from './catalogue/datasource.ts';
import { findSource } from './catalogue/sources.ts';
import type { ImageGeometry } from './image.ts';
import { sunCentre } from './pixel-grid.ts';

/** Image coordinates and radius in pixels. */
export interface Circle {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

export interface Ring {
  /** Edge of the occulter. */
  readonly inner: Circle;
  /** Edge of the field. */
  readonly outer: Circle;
  /** Width in pixels over which the edges fade; 0 for sharp edges. */
  readonly softness: number;
  /** Whether downloads of the whole image are masked too. */
  readonly masksDownloads: boolean;
}

/** The visible ring of an image; null for instruments without an occulter. */
export function occulterRing(sourceId: number, geometry: ImageGeometry): Ring | null {
  const mask = findSource(sourceId)?.mask;
  if (!mask) return null;
  const scale = mask.unit === 'solar-radii' ? geometry.rsunPixels : geometry.width / mask.unit;
  const anchor = mask.anchor === 'sun' ? sunCentre(geometry) : { x: geometry.width / 2, y: geometry.height / 2 };
  const circle = ([dx, dy, radius]: MaskCircle): Circle => ({
    x: anchor.x + dx * scale,
    y: anchor.y + dy * scale,
    radius: radius * scale,
  });
  return {
    inner: circle(mask.inner),
    outer: circle(mask.outer),
    softness: (mask.softness ?? 0) * scale,
    masksDownloads: mask.masksDownloads,
  };
}

/** Whether exactly black pixels are without data, as in PUNCH mosaics, and rendered transparent. */
export const isBlackTransparent = (sourceId: number): boolean => findSource(sourceId)?.isBlackTransparent ?? false;
