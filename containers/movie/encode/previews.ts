// Preview images of a movie.
import { PREVIEW_SIZES, PREVIEWS, type Preview } from '../../../src/domain/movies/formats.ts';
import { rgbPng } from '../../../src/imaging/encode/png.ts';
import { resample, triangleTaps } from '../../../src/imaging/resample.ts';

export type PreviewFile = `preview-${Preview}.png`;

interface Picture {
  /** RGB, 8 bits a sample. */
  readonly rgb: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Resizes the whole picture to exactly the given size, which may change its aspect ratio by the rounding to whole pixels. */
function resize({ rgb, width, height }: Picture, to: { width: number; height: number }): Picture {
  // Samples are pixels here, because no resolution level is discarded.
  const x = triangleTaps({ start: 0, step: width / to.width, count: to.width, size: width, reduce: 0 });
  const y = triangleTaps({ start: 0, step: height / to.height, count: to.height, size: height, reduce: 0 });
  const out = new Uint8Array(to.width * to.height * 3);
  const plane = new Uint8Array(width * height);
  const small = new Uint8Array(to.width * to.height);
  for (let c = 0; c < 3; c++) {
    for (let i = 0; i < plane.length; i++) plane[i] = rgb[i * 3 + c] as number;
    resample(plane, x, y, small, to.width);
    for (let i = 0; i < small.length; i++) out[i * 3 + c] = small[i] as number;
  }
  return { rgb: out, ...to };
}

/** Fits the picture into `size`, centred on black. */
function letterbox(picture: Picture, size: { readonly width: number; readonly height: number }): Picture {
  const scale = Math.min(size.width / picture.width, size.height / picture.height);
  const width = Math.max(1, Math.round(picture.width * scale));
  const height = Math.max(1, Math.round(picture.height * scale));
  const inner = resize(picture, { width, height });
  const rgb = new Uint8Array(size.width * size.height * 3);
  const [left, top] = [(size.width - width) >> 1, (size.height - height) >> 1];
  for (let y = 0; y < height; y++) {
    rgb.set(inner.rgb.subarray(y * width * 3, (y + 1) * width * 3), ((top + y) * size.width + left) * 3);
  }
  return { rgb, ...size };
}

async function png({ rgb, width, height }: Picture): Promise<Uint8Array> {
  const encoder = rgbPng(width, height);
  await encoder.write(rgb, height);
  return encoder.finish();
}

/** The five previews of an RGB frame of `width` x `height` pixels; `full` is the unscaled frame. */
export async function previews(rgb: Uint8Array, width: number, height: number): Promise<Record<PreviewFile, Uint8Array>> {
  const frame = { rgb, width, height };
  const files = PREVIEWS.map(async (preview): Promise<[PreviewFile, Uint8Array]> => {
    const picture = preview === 'full' ? frame : letterbox(frame, PREVIEW_SIZES[preview]);
    return [`preview-${preview}.png`, await png(picture)];
  });
  return Object.fromEntries(await Promise.all(files)) as Record<PreviewFile, Uint8Array>;
}
