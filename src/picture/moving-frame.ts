// Frames of moving pictures: the grey samples of an image on the pixels of some of its tiles, cut to the image.
import type { Edges, Region } from '../sun/coordinates/picture-plane.ts';
import type { ImageGeometry } from '../sun/image.ts';
import { type PixelGrid, TILE_SIZE, type TileAddress } from './grids/pixel-grid.ts';
import type { Ring } from './raster/mask.ts';

/** The edges of a frame lie at multiples of this number of pixels from the centre of the image: the side of a block of JPEG. */
const BLOCK = 8;

/** A rectangle of tiles of a level: `columns` from column `x` on and `rows` from row `y` on; all of the image where a member is absent. */
export type Tiles = Pick<TileAddress, 'imageScale'> & { readonly [K in 'x' | 'y' | 'columns' | 'rows']?: number | undefined };

type Placed = Pick<ImageGeometry, 'width' | 'height' | 'scaleArcsecPerPixel'>;

/** Pixels from the centre of an image to its sides. */
const reachOf = ({ width, height }: Placed): Region => ({
  left: -width / 2,
  top: -height / 2,
  right: width / 2,
  bottom: height / 2,
});

/** Output pixels from the centre of an image, which reaches over `before` and `after` of them; the end is exclusive. */
function span(before: number, after: number, first: number | undefined, count: number | undefined) {
  // Output pixels whose centres lie in the image.
  const end = (pixels: number) => Math.max(BLOCK, Math.ceil(Math.round(pixels) / BLOCK) * BLOCK);
  const from = first === undefined ? -Math.ceil(end(before) / TILE_SIZE) : first;
  const to = count === undefined ? Number.POSITIVE_INFINITY : from + count;
  return { from: Math.max(from * TILE_SIZE, -end(before)), to: Math.min(to * TILE_SIZE, end(after)) };
}

/** Largest share of the sides of an image by which a frame reaches beyond them, where it is bent. */
const BENT = 1;

/**
 * The grid of a frame over an image, on the pixels of its tiles (`tileGrid`). Its sides are empty or negative where the tiles lie outside
 * the image.
 * @param reach Pixels of the image from its centre to its sides, where it has been turned to the north
 */
export function frameGrid(image: Placed, { imageScale, x, y, columns, rows }: Tiles, reach = reachOf(image)): PixelGrid {
  const step = imageScale / image.scaleArcsecPerPixel;
  const [width, height] = [(0.5 + BENT) * image.width, (0.5 + BENT) * image.height];
  const across = span(Math.min(-reach.left, width) / step, Math.min(reach.right, width) / step, x, columns);
  const down = span(Math.min(-reach.top, height) / step, Math.min(reach.bottom, height) / step, y, rows);
  return {
    left: image.width / 2 + across.from * step,
    top: image.height / 2 + down.from * step,
    step,
    width: across.to - across.from,
    height: down.to - down.from,
  };
}

/** Raised with every change of the members of a description, so that caches do not answer with frames of another one. */
export const FRAME_DESCRIPTION_VERSION = 5;

/** What a frame says about itself, in the comment segment of its file. Places and lengths are pixels from its upper left corner. */
export interface FrameDescription {
  /** Arcseconds per pixel as seen from 1 au. */
  readonly imageScale: number;
  /** The centre of the Sun. */
  readonly sun: { readonly x: number; readonly y: number };
  /** Where an image ends that has been turned to the north: arcseconds from the centre of the Sun. Unset for one that lies so in its file. */
  readonly edges?: Edges;
  /** Whether its header may state a roll that its pixels do not have. */
  readonly isRollUnverified?: true | undefined;
  /** Where the image was taken from: solar radii, and Stonyhurst degrees. */
  readonly observer: { readonly distance: number; readonly latitude: number; readonly longitude: number };
  /** Base64 of R, G and B of the 256 values; null for grey. */
  readonly colours: string | null;
  /** What a coronagraph or a disc shows; pixels outside it are transparent in tiles. */
  readonly ring: Ring | null;
  /** Whether black pixels have no data, and are transparent in tiles. */
  readonly isBlackTransparent: boolean;
}

/** Annuli and bytes of a table for frames. */
export const TABLE_SIDE = 256;
/** Bytes before the levels of a table: its inner radius and the width of its annuli, f32. */
export const TABLE_HEAD = 8;

/** Levels by which frames are filtered: those of all bytes in the inner annulus, then those in the next one. */
export interface FrameTable {
  /** Factor and constant by which arcseconds from the Sun, as seen from 1 au, become a place in the annuli, 0 to 1. */
  readonly annuli: readonly [number, number];
  readonly levels: Uint8Array;
}

const MARKER = 0xff;
const COMMENT = 0xfe;
const SCAN = 0xda;

/** The description in the file of a frame; null without one. */
export function describedIn(file: Uint8Array): FrameDescription | null {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  // Segments follow the start of the image: a marker of two bytes, and a length that counts itself.
  for (let at = 2; at + 4 <= file.length && view.getUint8(at) === MARKER; at += 2 + view.getUint16(at + 2)) {
    const kind = view.getUint8(at + 1);
    if (kind === SCAN) return null;
    if (kind === COMMENT) {
      const text = new TextDecoder().decode(file.subarray(at + 4, at + 2 + view.getUint16(at + 2)));
      return JSON.parse(text) as FrameDescription;
    }
  }
  return null;
}
