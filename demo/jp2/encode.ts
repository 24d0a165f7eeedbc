// Encodes an 8-bit grey raster as a JPEG 2000 codestream: OpenJPEG codes the blocks, repack.ts writes the packets.
import { createRequire } from 'node:module';
import { parseCodestream } from './packets.ts';
import { writeCodestream } from './repack.ts';

export interface GreyImage {
  readonly width: number;
  readonly height: number;
  /** Row by row from the top, `width * height` samples. */
  readonly samples: Uint8Array;
}

export interface CodingStyle {
  /** Wavelet decomposition levels; fewer in images too small for them. */
  readonly levels: number;
  /** Compression ratio that each quality layer reaches, falling; its length is the number of layers. */
  readonly layerRatios: readonly number[];
  readonly precinctExponent?: number;
  readonly packetLengths: boolean;
}

/** AIA files of the archive: 8 levels, 8 layers, 128x128 precincts. */
export const AIA_STYLE: CodingStyle = {
  levels: 8,
  layerRatios: [512, 256, 128, 64, 40, 24, 16, 10],
  precinctExponent: 7,
  packetLengths: true,
};
/** HMI, EIT, MDI and LASCO files of the archive: one precinct per resolution. */
export const PLAIN_STYLE: CodingStyle = { levels: 8, layerRatios: [512, 256, 128, 64, 40, 24, 16, 10], packetLengths: true };
/** SWAP and EUI files of ROB: 5 levels, 4 layers. */
export const ROB_STYLE: CodingStyle = { levels: 5, layerRatios: [64, 32, 16, 10], precinctExponent: 7, packetLengths: true };
/** The oldest files: without packet lengths, so that a reader has to parse the packet headers. */
export const OLD_STYLE: CodingStyle = { ...PLAIN_STYLE, packetLengths: false };

interface Encoder {
  getDecodedBuffer(frame: {
    width: number;
    height: number;
    bitsPerSample: number;
    componentCount: number;
    isSigned: boolean;
  }): Uint8Array;
  getEncodedBuffer(): Uint8Array;
  setDecompositions(levels: number): void;
  setQuality(lossless: boolean, layers: number): void;
  setCompressionRatio(layer: number, ratio: number): void;
  setProgressionOrder(order: number): void;
  encode(): void;
  delete(): void;
}

const RPCL = 2;
let loading: Promise<{ J2KEncoder: new () => Encoder }> | undefined;

/** Encodes with the 9/7 transform in RPCL order. @throws Error when OpenJPEG fails */
export async function encodeGrey(image: GreyImage, style: CodingStyle): Promise<Uint8Array> {
  loading ??= createRequire(import.meta.url)('@cornerstonejs/codec-openjpeg/wasmjs')() as typeof loading;
  const openjpeg = await (loading as NonNullable<typeof loading>);
  const encoder = new openjpeg.J2KEncoder();
  try {
    encoder
      .getDecodedBuffer({ width: image.width, height: image.height, bitsPerSample: 8, componentCount: 1, isSigned: false })
      .set(image.samples);
    encoder.setDecompositions(Math.min(style.levels, Math.floor(Math.log2(Math.min(image.width, image.height)))));
    encoder.setQuality(false, style.layerRatios.length);
    for (const [layer, ratio] of style.layerRatios.entries()) encoder.setCompressionRatio(layer, ratio);
    encoder.setProgressionOrder(RPCL);
    try {
      encoder.encode();
    } catch (error) {
      throw new Error(`OpenJPEG cannot encode ${image.width}x${image.height} samples: ${String(error)}.`);
    }
    return writeCodestream(parseCodestream(encoder.getEncodedBuffer().slice()), style);
  } finally {
    encoder.delete();
  }
}
