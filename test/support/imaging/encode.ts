// Encodes codestreams with OpenJPEG from npm, which needs no installed program.
import { createRequire } from 'node:module';
import type { Raster } from './rasters.ts';

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
  setBlockDimensions(size: { width: number; height: number }): void;
  setNumPrecincts(count: number): void;
  setPrecinct(index: number, size: { width: number; height: number }): void;
  encode(): void;
  delete(): void;
}

export interface EncodeOptions {
  /** 5/3 without loss, else 9/7. */
  readonly lossless: boolean;
  readonly levels?: number;
  /** Compression ratio of each layer, descending; a final 1 is lossless. */
  readonly layerRatios?: readonly number[];
  /** 0 LRCP, 1 RLCP, 2 RPCL, 3 PCRL, 4 CPRL. */
  readonly order?: number;
  /** Side of the precincts of the highest resolution level; each lower one has half of it. */
  readonly precinct?: number;
  readonly block?: readonly [width: number, height: number];
}

const openjpeg = (await createRequire(import.meta.url)('@cornerstonejs/codec-openjpeg/wasmjs')({
  print: () => {},
  printErr: () => {},
})) as { J2KEncoder: new () => Encoder };

/** Samples interleaved, little-endian when of more than 8 bits. */
function interleaved({ components, precision }: Raster): Uint8Array {
  const count = components.length;
  const length = (components[0] as Int32Array).length * count;
  const samples = precision <= 8 ? new Uint8Array(length) : new Uint16Array(length);
  components.forEach((plane, c) => {
    plane.forEach((sample, i) => {
      samples[i * count + c] = sample;
    });
  });
  return new Uint8Array(samples.buffer);
}

/** Codes a raster to a bare codestream. */
export function encodeRaster(raster: Raster, options: EncodeOptions): Uint8Array {
  const { lossless, levels = 5, layerRatios = [lossless ? 1 : 8], order = 0, precinct, block } = options;
  const encoder = new openjpeg.J2KEncoder();
  const { width, height, precision, signed } = raster;
  const frame = { width, height, bitsPerSample: precision, componentCount: raster.components.length, isSigned: signed };
  encoder.getDecodedBuffer(frame).set(interleaved(raster));
  encoder.setDecompositions(levels);
  encoder.setQuality(lossless, layerRatios.length);
  layerRatios.forEach((ratio, layer) => {
    encoder.setCompressionRatio(layer, ratio);
  });
  encoder.setProgressionOrder(order);
  if (block) encoder.setBlockDimensions({ width: block[0], height: block[1] });
  if (precinct) {
    encoder.setNumPrecincts(1);
    encoder.setPrecinct(0, { width: precinct, height: precinct });
  }
  encoder.encode();
  const stream = encoder.getEncodedBuffer().slice();
  encoder.delete();
  if (stream.length === 0) throw new Error('Expected a codestream from OpenJPEG, got nothing.');
  return stream;
}
