// Tiles in the colours of operations. The palette of an indexed file is replaced; a masked one, whose pixels have colours and opacities, is
// drawn anew from the levels that its colours stand for. Loads with the first such operation.
import '../core.ts';
import { GREY_PALETTE } from '../../../picture/colours.ts';
import { coloursOf, type Operations } from '../../../picture/operations/operations.ts';
import { fromBase64 } from '../../../util/bytes.ts';
import { framePath, loadFrame } from '../api/frames.ts';
import type { ImageRecord } from '../api/image-record.ts';
import { requestResponse } from '../api/request.ts';
import { paletteOfPng, withPalette } from '../model/png-palette.ts';
import { wholeFrom } from '../motion/places.ts';
import type { ColourableTile } from './frame-layer.ts';

const PNG = 'image/png';
/** Longest side of the frame that is read for its colours alone. */
const SMALL_SIDE = 64;

/** Colours by image, because masked tiles do not contain them. */
const colours = new Map<number, Promise<Uint8Array>>();

/** The colours of the levels of an image. */
function coloursOfImage(image: ImageRecord): Promise<Uint8Array> {
  const known = colours.get(image.id);
  if (known) return known;
  const read = async () => {
    const { picture, description } = await loadFrame(
      framePath(image.id, wholeFrom(image, 0, SMALL_SIDE)),
      new AbortController().signal,
    );
    picture.close();
    return description.colours === null ? GREY_PALETTE : fromBase64(description.colours);
  };
  const found = read();
  colours.set(image.id, found);
  found.catch(() => colours.delete(image.id));
  return found;
}

/** The colours of the levels of a tile. */
const tableOf = (layer: Operations, own: Uint8Array) => coloursOf(layer, own) ?? GREY_PALETTE;

/** The level whose colour is nearest to a colour: opacities between 0 and 1 leave rounding errors in it. */
function levelFinder(palette: Uint8Array): (red: number, green: number, blue: number) => number {
  const levels = new Map<number, number>();
  const nearest = (red: number, green: number, blue: number) => {
    let [best, least] = [0, Number.POSITIVE_INFINITY];
    for (let level = 0; 3 * level < palette.length; level += 1) {
      const off =
        (palette[3 * level]! - red) ** 2 + (palette[3 * level + 1]! - green) ** 2 + (palette[3 * level + 2]! - blue) ** 2;
      if (off < least) [best, least] = [level, off];
    }
    return best;
  };
  return (red, green, blue) => {
    const key = (red << 16) | (green << 8) | blue;
    const level = levels.get(key) ?? nearest(red, green, blue);
    levels.set(key, level);
    return level;
  };
}

/** A tile whose pixels have colours and opacities. */
async function maskedTile(file: Uint8Array<ArrayBuffer>, palette: Uint8Array): Promise<ColourableTile> {
  const picture = await createImageBitmap(new Blob([file], { type: PNG }), { colorSpaceConversion: 'none' });
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const context = canvas.getContext('2d', { willReadFrequently: true })!;
  context.drawImage(picture, 0, 0);
  picture.close();
  const pixels = context.getImageData(0, 0, canvas.width, canvas.height);
  const { data } = pixels;
  const levelOf = levelFinder(palette);
  const levels = new Uint8Array(data.length / 4);
  for (let i = 0; i < levels.length; i += 1)
    if (data[4 * i + 3]! > 0) levels[i] = levelOf(data[4 * i]!, data[4 * i + 1]!, data[4 * i + 2]!);
  return {
    inColours: (layer) => {
      const table = tableOf(layer, palette);
      for (let i = 0; i < levels.length; i += 1) data.set(table.subarray(3 * levels[i]!, 3 * levels[i]! + 3), 4 * i);
      context.putImageData(pixels, 0, 0);
      return canvas.convertToBlob({ type: PNG });
    },
  };
}

/**
 * Reads a tile, which the cache of the browser has where it has been shown.
 * @param hasColours Whether its levels have the colours of the image
 * @throws as `requestResponse`
 */
export async function colourableTile(path: string, image: ImageRecord, hasColours: boolean): Promise<ColourableTile> {
  const response = await requestResponse(path, { cache: 'force-cache' });
  const file = new Uint8Array(await response.arrayBuffer());
  const palette = paletteOfPng(file);
  if (!palette) return maskedTile(file, hasColours ? await coloursOfImage(image) : GREY_PALETTE);
  return { inColours: async (layer) => new Blob([withPalette(file, tableOf(layer, palette))], { type: PNG }) };
}
