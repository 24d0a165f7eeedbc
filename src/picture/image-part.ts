// Requests of the IIIF Image API 3.0 (https://iiif.io/api/image/3.0/, section 4): region, size, rotation, read without the image.
import { badParameter, Failure } from '../platform/util/errors.ts';
import type { Size } from '../sun/image.ts';

/** A rectangle of image pixels inside the image. */
interface ImagePart extends Size {
  readonly left: number;
  readonly top: number;
}

/** Longest side of a picture in pixels, as `maxWidth` of info.json. */
export const LONGEST_SIDE = 4096;

/** Colours of a picture: those of the image, by either of the first two; its samples as grey; black below the middle grey and white above. */
export const QUALITIES = ['default', 'color', 'gray', 'bitonal'] as const;
export type Quality = (typeof QUALITIES)[number];

type RegionText =
  | { readonly kind: 'full' }
  | { readonly kind: 'square' }
  | { readonly kind: 'pixels' | 'percent'; readonly box: readonly [number, number, number, number] };

type SizeText = { readonly mayGrow: boolean } & (
  | { readonly kind: 'max' }
  | { readonly kind: 'percent'; readonly percent: number }
  /** A side that is not given is null. */
  | { readonly kind: 'sides' | 'within'; readonly width: number | null; readonly height: number | null }
);

/** Turn of a drawn picture: mirrored left to right first, then by quarter turns clockwise. */
export interface Orientation {
  readonly isMirrored: boolean;
  readonly quarterTurns: number;
}

/** A part of an image at a size, before it is turned. */
export interface PictureOfPart {
  readonly region: ImagePart;
  readonly size: Size;
  readonly orientation: Orientation;
  readonly quality: Quality;
}

const WHOLE = '\\d{1,9}';
const DECIMAL = '\\d{1,9}(?:\\.\\d{1,9})?';
const PIXELS = new RegExp(`^(${WHOLE}),(${WHOLE}),(${WHOLE}),(${WHOLE})$`);
const PERCENT = new RegExp(`^pct:(${DECIMAL}),(${DECIMAL}),(${DECIMAL}),(${DECIMAL})$`);
const SIZE = new RegExp(`^(\\^)?(?:(max)|pct:(${DECIMAL})|(!)?(${WHOLE})?,(${WHOLE})?)$`);
const ROTATION = new RegExp(`^(!)?(${DECIMAL})$`);

/** @throws Failure `bad-parameter` */
export function parseRegion(text: string): RegionText {
  if (text === 'full') return { kind: 'full' };
  if (text === 'square') return { kind: 'square' };
  const [, ...pixels] = PIXELS.exec(text) ?? [];
  const [, ...percent] = PERCENT.exec(text) ?? [];
  const box = (pixels.length > 0 ? pixels : percent).map(Number);
  if (box.length === 0 || box[2] === 0 || box[3] === 0)
    throw badParameter('region', 'full, square, x,y,w,h or pct:x,y,w,h with a size', text);
  return { kind: pixels.length > 0 ? 'pixels' : 'percent', box: box as unknown as readonly [number, number, number, number] };
}

const SIZES = 'max, w,h or w, or ,h or !w,h or pct:n, above 0, with ^ in front for a size larger than the region,';

/** @throws Failure `bad-parameter` */
export function parseSize(text: string): SizeText {
  const match = SIZE.exec(text);
  if (!match) throw badParameter('size', SIZES, text);
  const [, grows, max, percent, within, ...sides] = match;
  const mayGrow = grows !== undefined;
  if (max !== undefined) return { mayGrow, kind: 'max' };
  if (percent !== undefined && Number(percent) > 0) return { mayGrow, kind: 'percent', percent: Number(percent) };
  const [width, height] = sides.map((side) => (side === undefined ? null : Number(side))) as [number | null, number | null];
  const isEmpty = percent !== undefined || width === 0 || height === 0 || (width === null && height === null);
  if (isEmpty || (within !== undefined && (width === null || height === null))) throw badParameter('size', SIZES, text);
  return { mayGrow, kind: within === undefined ? 'sides' : 'within', width, height };
}

const FULL_TURN = 360;
const QUARTER_TURN = 90;

/** @throws Failure `bad-parameter`; `not-implemented` for other angles than quarter turns */
export function parseRotation(text: string): Orientation {
  const [, mirror, angle] = ROTATION.exec(text) ?? [];
  const degrees = Number(angle ?? Number.NaN);
  if (!(degrees <= FULL_TURN))
    throw badParameter('rotation', 'degrees from 0 to 360, with ! in front for a mirrored picture,', text);
  if (degrees % QUARTER_TURN !== 0)
    throw new Failure('not-implemented', 'Pictures are rotated by 0, 90, 180 and 270 degrees only.', { parameter: 'rotation' });
  return { isMirrored: mirror !== undefined, quarterTurns: (degrees % FULL_TURN) / QUARTER_TURN };
}

/** @throws Failure `bad-parameter` for a region outside the image */
export function regionOf(text: RegionText, image: Size): ImagePart {
  if (text.kind === 'full') return { left: 0, top: 0, width: image.width, height: image.height };
  if (text.kind === 'square') {
    const side = Math.min(image.width, image.height);
    return { left: Math.floor((image.width - side) / 2), top: Math.floor((image.height - side) / 2), width: side, height: side };
  }
  const [x, y, w, h] = text.box;
  const ends = (start: number, length: number, side: number): readonly [number, number] => {
    const unit = text.kind === 'percent' ? side / 100 : 1;
    const from = Math.floor(start * unit);
    return [from, Math.min(Math.max(Math.round((start + length) * unit), from + 1), side)];
  };
  const [[left, right], [top, bottom]] = [ends(x, w, image.width), ends(y, h, image.height)];
  if (left >= right || top >= bottom)
    throw badParameter('region', `a region that is partly inside the image of ${image.width}x${image.height}`, text.box.join());
  return { left, top, width: right - left, height: bottom - top };
}

const scaled = ({ width, height }: Size, scale: number): Size => ({
  width: Math.max(1, Math.round(width * scale)),
  height: Math.max(1, Math.round(height * scale)),
});

const tooLarge = (what: string, { width, height }: Size) => badParameter('size', what, `${width}x${height}`);

/** The size of the picture before it is turned. @throws Failure `bad-parameter` for one that is too large */
export function sizeOf(text: SizeText, region: Size): Size {
  const { mayGrow } = text;
  const largest = LONGEST_SIDE / Math.max(region.width, region.height);
  const most = mayGrow ? largest : Math.min(1, largest);
  if (text.kind === 'max') return scaled(region, most);
  if (text.kind === 'within') return scaled(region, Math.min(text.width! / region.width, text.height! / region.height, most));
  const size = givenSize(text, region);
  if (!mayGrow && (size.width > region.width || size.height > region.height))
    throw tooLarge(`at most that of the region, ${region.width}x${region.height}, or ^ in front`, size);
  if (Math.max(size.width, size.height) > LONGEST_SIDE) throw tooLarge(`at most ${LONGEST_SIDE} pixels a side`, size);
  return size;
}

function givenSize(text: Exclude<SizeText, { readonly kind: 'max' }>, region: Size): Size {
  if (text.kind === 'percent') return scaled(region, text.percent / 100);
  const { width, height } = text;
  if (width !== null && height !== null) return { width, height };
  return width === null
    ? { width: scaled(region, height! / region.height).width, height: height! }
    : { width, height: scaled(region, width / region.width).height };
}
