// WebP by libwebp: pictures with loss, and the small ones without loss that one palette cannot hold.
import factory from '@jsquash/webp/codec/enc/webp_enc_simd.js';
import { defaultOptions } from '@jsquash/webp/meta.js';
import { type StripEncoder, stripEncoder } from './encoder.ts';
import { webpNote } from './notes.ts';
import { checkWebpSides } from './webp.ts';

interface Libwebp {
  encode(rgba: Uint8Array, width: number, height: number, options: typeof defaultOptions): Uint8Array | null;
}

/** An instance for one picture, because the memory of an instance never shrinks. A new one takes 1 to 5 ms. */
const instance = factory as unknown as (overrides: object) => Promise<Libwebp>;

async function encoded(rgba: Uint8Array, width: number, height: number, options: Partial<typeof defaultOptions>) {
  // Loaded when it is needed, because programs that only describe the operations cannot load it.
  const { default: wasm } = await import('#libwebp-module');
  const overrides = {
    noInitialRun: true,
    locateFile: (name: string) => name,
    instantiateWasm(imports: WebAssembly.Imports, done: (made: WebAssembly.Instance) => void) {
      const made = new WebAssembly.Instance(wasm, imports);
      done(made);
      return made.exports;
    },
  };
  const file = (await instance(overrides)).encode(rgba, width, height, { ...defaultOptions, ...options });
  if (!file) throw new RangeError(`libwebp does not encode ${width}x${height} pixels.`);
  return file;
}

/** Processor time of a pixel, which libwebp takes at the end of the picture (`npm run bench -- encode` at 177b282c). */
const PIXEL_COST = 8;
/** Quality of pictures of several colours where none is given. */
const DEFAULT_QUALITY = 90;

/** Encodes R, G, B rows with loss at their end; the picture is held twice. @throws RangeError for sides that WebP cannot express */
export function lossyWebp(width: number, height: number, quality = DEFAULT_QUALITY): StripEncoder {
  checkWebpSides(width, height);
  const rgba = new Uint8Array(4 * width * height).fill(255);
  let at = 0;
  return stripEncoder(
    { width, height, bytesPerPixel: 3, pixelCost: PIXEL_COST },
    {
      add(rgb) {
        for (let i = 0; i < rgb.length; at += 4) for (let channel = 0; channel < 3; channel++) rgba[at + channel] = rgb[i++]!;
      },
      // A third less memory, for the bits of a per cent.
      end: async (note) =>
        webpNote(await encoded(rgba, width, height, { quality, low_memory: 1 }), { width, height }, false, note),
    },
  );
}

/** Encodes R, G, B, A rows without loss, alpha not premultiplied. @throws RangeError for sides that WebP cannot express */
export function rgbaWebp(width: number, height: number): StripEncoder {
  checkWebpSides(width, height);
  let picture = new Uint8Array(0);
  const sink = {
    add(rgba: Uint8Array<ArrayBuffer>) {
      picture = rgba;
    },
    end: async (note?: string) =>
      webpNote(await encoded(picture, width, height, { lossless: 1, exact: 1 }), { width, height }, true, note),
  };
  return stripEncoder({ width, height, bytesPerPixel: 4, pixelCost: PIXEL_COST, blockRows: height }, sink);
}
