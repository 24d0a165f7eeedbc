// Lossless codestreams by OpenJPEG.
import { createRequire } from 'node:module';
import type { GreyImage } from '../../../demo/jp2/encode.ts';

interface Encoder {
  getDecodedBuffer(frame: object): Uint8Array;
  getEncodedBuffer(): Uint8Array;
  setQuality(lossless: boolean, layers: number): void;
  encode(): void;
  delete(): void;
}

const openjpeg = (await createRequire(import.meta.url)('@cornerstonejs/codec-openjpeg/wasmjs')({ print: () => {} })) as {
  J2KEncoder: new () => Encoder;
};

/** Encodes 8-bit samples by the reversible transform. */
export function encodeLossless({ width, height, samples }: GreyImage): Uint8Array {
  const encoder = new openjpeg.J2KEncoder();
  encoder.getDecodedBuffer({ width, height, bitsPerSample: 8, componentCount: 1, isSigned: false }).set(samples);
  encoder.setQuality(true, 1);
  encoder.encode();
  const codestream = encoder.getEncodedBuffer().slice();
  encoder.delete();
  return codestream;
}
