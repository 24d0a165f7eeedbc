// OpenJPEG in WebAssembly as the independent reference of the decoder.
import { createRequire } from 'node:module';

interface Decoder {
  getEncodedBuffer(length: number): Uint8Array;
  getDecodedBuffer(): Uint8Array;
  decode(): void;
  decodeSubResolution(level: number, layer: number): void;
  getFrameInfo(): { width: number; height: number; bitsPerSample: number; componentCount: number; isSigned: boolean };
  delete(): void;
}

const openjpeg = (await createRequire(import.meta.url)('@cornerstonejs/codec-openjpeg/decodewasmjs')({ print: () => {} })) as {
  J2KDecoder: new () => Decoder;
};

/** Decodes a bare codestream of 8-bit samples at a reduction: bytes, components interleaved. */
export function openjpegDecode(codestream: Uint8Array, reduce: number): { width: number; height: number; samples: Uint8Array } {
  const decoder = new openjpeg.J2KDecoder();
  decoder.getEncodedBuffer(codestream.length).set(codestream);
  decoder.decodeSubResolution(reduce, 0);
  const { width, height } = decoder.getFrameInfo();
  const samples = Uint8Array.from(decoder.getDecodedBuffer());
  decoder.delete();
  return { width: Math.ceil(width / 2 ** reduce), height: Math.ceil(height / 2 ** reduce), samples };
}
