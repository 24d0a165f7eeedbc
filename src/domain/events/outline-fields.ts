// Fields of a record from which the official web client places the outline of an event and its pin.
import { scaledToAu } from '../coordinates/event-place.ts';
import { outlineAt } from '../coordinates/outline.ts';
import { boundsOf, type Point, poleOfInaccessibility, type Ring } from '../coordinates/region.ts';
import { FINEST_SCALE, outlinePath, type PlacedShape, pictureSize, placedShape, UNITS_PER_PIXEL } from './outline-picture.ts';
import type { SolarEvent } from './solar-event.ts';

/**
 * Time grid of outlines: requests within a step share a picture. The Sun turns by at most 0.4 arcseconds in half a step, which is
 * less than a pixel.
 */
const STEP_MS = 300_000;

/** Rounds to a ten-thousandth of an arcsecond. */
const rounded = (arcsec: number) => Math.round(arcsec * 1e4) / 1e4;
/** Rounds to a hundredth of a pixel. */
const hundredths = (px: number) => Math.round(px * 100) / 100;

/** Outlines at a time; hidden ones are left out. */
function ringsAt({ outlines, place }: Pick<SolarEvent, 'outlines' | 'place'>, atMs: number): Ring[] {
  return outlines.map((outline) => outlineAt(outline, place.atMs, atMs)).filter((ring) => ring !== null);
}

/** Upper left corner of the outlines where they were measured: arcseconds as seen from 1 au, y DOWN. */
function measuredCorner({ outlines, place }: Pick<SolarEvent, 'outlines' | 'place'>): Point {
  const { left, bottom: north } = boundsOf(outlines);
  const { x, y } = scaledToAu({ x: left, y: north }, place.atMs);
  return [x, -y];
}

/** Distance of the pin from the middle of the picture, pixels of the finest scale. */
function pinOffset({ shape }: PlacedShape, size: { width: number; height: number; insetPx: number }): Point {
  const [x, y] = poleOfInaccessibility(shape.rings);
  const toPx = (units: number) => units / UNITS_PER_PIXEL + size.insetPx;
  return [toPx(x) - size.width / 2, toPx(y) - size.height / 2];
}

/**
 * `hv_poly_*` and `hv_marker_offset_*`, and an empty `hpc_boundcc` for an event without a visible outline, because the client
 * expects the other fields wherever `hpc_boundcc` is not an empty text.
 *
 * - `..._x_ul_scaled_norot`, `..._y_ul_scaled_norot`: upper left corner of the picture where the outline was measured; `..._x_final`,
 *   `..._y_final`: at `atMs`. Arcseconds as seen from 1 au, x to the west, y DOWN. The picture extends beyond the outline by half
 *   of its line.
 * - `..._width_max_zoom_pixels`, `..._height_max_zoom_pixels`: size of the picture in pixels of 0.60511022 arcseconds.
 * - `hv_marker_offset_x`, `..._y`: the pin, from the middle of the picture, in the same pixels.
 * - `hv_poly_url`: path of the picture.
 */
export function outlineFields(
  event: Pick<SolarEvent, 'pin' | 'outlines' | 'place'>,
  atMs: number,
): Readonly<Record<string, unknown>> {
  const placed = placedShape(event.pin, ringsAt(event, Math.round(atMs / STEP_MS) * STEP_MS));
  if (!placed) return { hpc_boundcc: '' };
  const size = pictureSize(placed.shape);
  const insetArcsec = size.insetPx * FINEST_SCALE;
  const [measuredX, measuredY] = measuredCorner(event);
  const [offsetX, offsetY] = pinOffset(placed, size);
  return {
    hv_poly_hpc_x_ul_scaled_norot: rounded(measuredX - insetArcsec),
    hv_poly_hpc_y_ul_scaled_norot: rounded(measuredY - insetArcsec),
    hv_poly_hpc_x_final: rounded(placed.corner[0] - insetArcsec),
    hv_poly_hpc_y_final: rounded(placed.corner[1] - insetArcsec),
    hv_poly_width_max_zoom_pixels: size.width,
    hv_poly_height_max_zoom_pixels: size.height,
    hv_marker_offset_x: hundredths(offsetX),
    hv_marker_offset_y: hundredths(offsetY),
    hv_poly_url: outlinePath(placed.shape),
  };
}
