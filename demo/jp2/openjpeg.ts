// Codestreams by OpenJPEG from npm, with one precinct in each resolution: its settings of others have no effect.
import { createRequire } from 'node:module';

interface Encoder {
  getDecodedBuffer(frame: Readonly<Record<string, number | boolean>>): Uint8Array;
  getEncodedBuffer(): Uint8Array;
  setDecompositions(levels: number): void;
  setQuality(lossless: boolean, layers: number): void;
  setCompressionRatio(layer: number, ratio: number): void;
  setProgressionOrder(order: number): void;
  setBlockDimensions(size: { width: number; height: number }): void;
  encode(): void;
  delete(): void;
}

export interface Samples {
  readonly width: number;
  readonly height: number;
  readonly precision: number;
  readonly signed: boolean;
  readonly components: readonly ArrayLike<number>[];
}

export interface EncodeOptions {
  /** 5/3 without loss, else 9/7. */
  readonly lossless: boolean;
  readonly levels?: number;
  /** Compression ratio of each layer, descending; a final 1 is lossless. */
  readonly layerRatios?: readonly number[];
  /** 0 LRCP, 1 RLCP, 2 RPCL, 3 PCRL, 4 CPRL. */
  readonly order?: number;
  readonly block?: readonly [width: number, height: number];
}

const { J2KEncoder } = (await createRequire(import.meta.url)('@cornerstonejs/codec-openjpeg/wasmjs')({
  print: () => {},
  printErr: () => {},
})) as { J2KEncoder: new () => Encoder };

/** Codes samples to a bare codestream. @throws Error when OpenJPEG fails */
export function encodeSamples({ width, height, precision, signed, components }: Samples, options: EncodeOptions): Uint8Array {
  const { lossless, levels = 5, layerRatios = [lossless ? 1 : 8], order = 0, block } = options;
  const count = components.length;
  // Interleaved, little-endian when of more than 8 bits.
  const samples = new (precision <= 8 ? Uint8Array : Uint16Array)(width * height * count);
  for (let c = 0; c < count; c++) for (let i = 0; i < width * height; i++) samples[i * count + c] = components[c]![i]!;
  const encoder = new J2KEncoder();
  try {
    encoder
      .getDecodedBuffer({ width, height, bitsPerSample: precision, componentCount: count, isSigned: signed })
      .set(new Uint8Array(samples.buffer));
    encoder.setDecompositions(levels);
    encoder.setQuality(lossless, layerRatios.length);
    for (const [layer, ratio] of layerRatios.entries()) encoder.setCompressionRatio(layer, ratio);
    encoder.setProgressionOrder(order);
    if (block) encoder.setBlockDimensions({ width: block[0], height: block[1] });
    encoder.encode();
    const stream = encoder.getEncodedBuffer().slice();
    if (stream.length === 0) throw new Error(`OpenJPEG cannot encode ${width}x${height} samples.`);
    return stream;
  } finally {
    encoder.delete();
  }
}
