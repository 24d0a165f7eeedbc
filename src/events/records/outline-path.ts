// Pictures of outlines: their shape, their size, and their path, which names all that is drawn.
//
//   cache/events/<version>/<pin>/<rings>.png
//
// <rings> are rings of vertices, separated by `~`. Coordinates are in half pixels of the finest scale from the upper left corner, x
// to the right, y down; each vertex is written as its distance from the one before, x then y, as signed numbers in base 32. A
// picture is therefore drawn from its path alone, when its event has changed or its source is away.
// Fields of a record name the path, from which the official web client places the outline of an event and its pin.
import { LEVEL_0_SCALE } from '../../picture/grids/pixel-grid.ts';
import { OUTLINE } from '../../platform/limits/events.ts';
import { outlineAt } from '../../sun/coordinates/outline.ts';
import { boundsOf, type Point, poleOfInaccessibility, type Ring } from '../../sun/coordinates/rings.ts';
import { scaledToAu } from '../../sun/coordinates/sphere.ts';
import { EVENT_DRAWING_VERSION, findEventType } from '../../sun/events/event-types.ts';
import type { SolarEvent } from '../../sun/events/solar-event.ts';

/** Units of the coordinates, half pixels, per pixel of the finest scale. */
export const UNITS_PER_PIXEL = 2;
const UNIT_ARCSEC = LEVEL_0_SCALE / UNITS_PER_PIXEL;

/** Units across an outline: twice the distance of the farthest vertex of an event. */
const MAX_UNITS = 1 << 18;
const MIN_VERTICES = 3;
/** Width of the line in pixels of the finest scale, and its least width in pixels of the picture. */
const LINE = { finestPx: 4, leastPx: 2 } as const;

/** An outline to draw. Its vertices are whole numbers of units from the upper left corner of its bounding box, y down. */
export interface OutlineShape {
  /** Type of the event, which decides the colour. */
  readonly pin: string;
  readonly rings: readonly Ring[];
}

/** The size of the picture of a shape, in pixels of the finest scale: the shape in its middle, and half a line's width, the inset, around it. */
export function pictureSize({ rings }: OutlineShape) {
  const { right, bottom } = boundsOf(rings);
  for (let reduction = 1; ; reduction *= 2) {
    const linePx = Math.max(LINE.finestPx, LINE.leastPx * reduction);
    const side = (units: number) => Math.ceil((units / UNITS_PER_PIXEL + linePx) / reduction) * reduction;
    const [width, height] = [side(right), side(bottom)];
    // A power of two: pixels of the finest scale per pixel of the picture, along a side.
    if (Math.max(width, height) <= OUTLINE.sidePixels * reduction) return { width, height, insetPx: linePx / 2, reduction };
  }
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Bits of a digit; a sixth marks that another digit follows. */
const DIGIT_BITS = 5;
const MORE = 1 << DIGIT_BITS;

/** A whole number from the lowest digit to the highest; the lowest bit is the sign. */
function numberText(value: number): string {
  let [rest, text] = [value < 0 ? -2 * value + 1 : 2 * value, ''];
  for (; rest >= MORE; rest >>>= DIGIT_BITS) text += DIGITS[(rest & (MORE - 1)) | MORE];
  return text + DIGITS[rest];
}

/** The numbers of a text of digits; null for an unfinished or excessive one. */
function numbersOf(text: string): number[] | null {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const character of text) {
    const digit = DIGITS.indexOf(character);
    value |= (digit & (MORE - 1)) << shift;
    shift += DIGIT_BITS;
    if (digit & MORE) {
      if (shift > 20) return null;
      continue;
    }
    numbers.push(value & 1 ? -(value >>> 1) : value >>> 1);
    [value, shift] = [0, 0];
  }
  return shift === 0 ? numbers : null;
}

const ringText = (ring: Ring): string =>
  ring
    .map(([x, y], i) => {
      const [fromX, fromY] = ring[i - 1] ?? [0, 0];
      return numberText(x - fromX) + numberText(y - fromY);
    })
    .join('');

const textOf = (rings: readonly Ring[]): string => rings.map(ringText).join('~');

const distinct = (ring: Ring): Ring =>
  ring.filter(([x, y], i) => {
    const [lastX, lastY] = ring.at(i - 1)!;
    return x !== lastX || y !== lastY;
  });

const isRing = ({ length }: Ring): boolean => length >= MIN_VERTICES;

/** Rings that fit into a path: every second vertex of the longest ones is dropped, until they do. */
function fitting(rings: readonly Ring[]): readonly Ring[] {
  let kept = rings;
  while (textOf(kept).length > OUTLINE.characters) {
    const longest = kept.reduce((most, { length }) => Math.max(most, length), 0);
    kept = kept.map((ring) => (ring.length === longest ? ring.filter((_, i) => i % 2 === 0) : ring)).filter(isRing);
  }
  return kept;
}

/**
 * Shape of rings in arcseconds seen from 1 au, x west, y NORTH, and the upper left corner of its bounding box, y DOWN; null below three
 * distinct vertices, or beyond the limit.
 */
export function placedShape(
  pin: string,
  rings: readonly Ring[],
): { readonly shape: OutlineShape; readonly corner: Point } | null {
  const inUnits = rings.map((ring) =>
    distinct(ring.map(([x, y]): Point => [Math.round(x / UNIT_ARCSEC), Math.round(-y / UNIT_ARCSEC)])),
  );
  const drawn = fitting(inUnits.filter(isRing));
  const { left, top, right, bottom } = boundsOf(drawn);
  if (!(Math.max(right - left, bottom - top) <= MAX_UNITS)) return null;
  const shape = { pin, rings: drawn.map((ring) => ring.map(([x, y]): Point => [x - left, y - top])) };
  return drawn.length > 0 ? { shape, corner: [left * UNIT_ARCSEC, top * UNIT_ARCSEC] } : null;
}

/** Path of a picture, relative to the root of this service and of the web client. */
export const outlinePath = ({ pin, rings }: OutlineShape): string =>
  `cache/events/${EVENT_DRAWING_VERSION}/${pin}/${textOf(rings)}.png`;

const PATH = new RegExp(`^cache/events/${EVENT_DRAWING_VERSION}/([A-Z]{2})/([\\w~-]{1,${OUTLINE.characters}})\\.png$`);

function ringOf(text: string): Ring | null {
  const numbers = numbersOf(text);
  if (!numbers || numbers.length % 2 === 1) return null;
  let [x, y] = [0, 0];
  const ring = Array.from({ length: numbers.length / 2 }, (_, i): Point => {
    [x, y] = [x + numbers[2 * i]!, y + numbers[2 * i + 1]!];
    return [x, y];
  });
  return isRing(ring) && distinct(ring).length === ring.length ? ring : null;
}

/** The shape of a path; null for a path that `outlinePath` does not make, so that a picture has one path only. */
export function parseOutlinePath(path: string): OutlineShape | null {
  const [, pin, text] = PATH.exec(path) ?? [];
  if (!pin || !text || findEventType(pin)?.source !== 'HEK') return null;
  const rings = text.split('~').map(ringOf);
  if (rings.includes(null)) return null;
  const shape = { pin, rings: rings.filter((ring) => ring !== null) };
  const { left, top, right, bottom } = boundsOf(shape.rings);
  const isCanonical = left === 0 && top === 0 && Math.max(right, bottom) <= MAX_UNITS && outlinePath(shape) === path;
  return isCanonical ? shape : null;
}

/** Time grid of outlines: requests within a step share a picture. In half a step the Sun turns by less than a pixel. */
const STEP_MS = 300_000;

/** Rounds to a ten-thousandth of an arcsecond, finer than any source. */
export const rounded = (arcsec: number) => Math.round(arcsec * 1e4) / 1e4;
const hundredths = (px: number) => Math.round(px * 100) / 100;

/** Outlines at a time; hidden ones are left out. */
const ringsAt = ({ outlines, position }: Pick<SolarEvent, 'outlines' | 'position'>, atMs: number): Ring[] =>
  outlines.map((outline) => outlineAt(outline, position, atMs)).filter((ring) => ring !== null);

/** Upper left corner of the outlines where they were measured: arcseconds as seen from 1 au, y DOWN. */
function measuredCorner({ outlines, position }: Pick<SolarEvent, 'outlines' | 'position'>): Point {
  const { left, bottom: north } = boundsOf(outlines);
  const { x, y } = scaledToAu({ x: left, y: north }, position.atMs);
  return [x, -y];
}

/** Distance of the pin from the middle of the picture, pixels of the finest scale. */
function pinOffset({ rings }: OutlineShape, size: ReturnType<typeof pictureSize>): Point {
  const [x, y] = poleOfInaccessibility(rings);
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
 * - `..._width_max_zoom_pixels`, `..._height_max_zoom_pixels`: size of the picture in pixels of `LEVEL_0_SCALE`.
 * - `hv_marker_offset_x`, `..._y`: the pin, from the middle of the picture, in the same pixels.
 * - `hv_poly_url`: path of the picture.
 */
export function outlineFields(
  event: Pick<SolarEvent, 'pin' | 'outlines' | 'position'>,
  atMs: number,
): Readonly<Record<string, unknown>> {
  const placed = placedShape(event.pin, ringsAt(event, Math.round(atMs / STEP_MS) * STEP_MS));
  if (!placed) return { hpc_boundcc: '' };
  const size = pictureSize(placed.shape);
  const insetArcsec = size.insetPx * LEVEL_0_SCALE;
  const [measuredX, measuredY] = measuredCorner(event);
  const [offsetX, offsetY] = pinOffset(placed.shape, size);
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
