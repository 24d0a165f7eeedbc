// JP2 files of grey images in the style of the archive: OpenJPEG codes the blocks, repack.ts writes the packets.
import { box, u16, u32 } from '../../src/jp2/boxes.ts';
import { concatenated } from '../../src/platform/util/bytes.ts';
import { encodeSamples } from './openjpeg.ts';
import { repacked } from './repack.ts';

const GREYSCALE = 17;
const SRGB = 16;

/** Red, green and blue of 256 entries. */
export type Palette = readonly (readonly [number, number, number])[];

interface Jp2Parts {
  readonly width: number;
  readonly height: number;
  readonly codestream: Uint8Array;
  readonly xml: string;
  /** Written as pclr and cmap boxes where present. */
  readonly palette?: Palette;
}

/** The bytes of a JP2 file: signature, file type, header, XML, codestream. */
export function wrapJp2(parts: Jp2Parts): Uint8Array {
  const header = [
    box('ihdr', u32(parts.height), u32(parts.width), Uint8Array.of(0, 1, 7, 7, 0, 0)),
    box('colr', Uint8Array.of(1, 0, 0), u32(parts.palette ? SRGB : GREYSCALE)),
  ];
  if (parts.palette)
    header.push(
      box('pclr', u16(parts.palette.length), Uint8Array.of(3, 7, 7, 7, ...parts.palette.flat())),
      box('cmap', Uint8Array.of(0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 2)),
    );
  return concatenated([
    box('jP  ', Uint8Array.of(0x0d, 0x0a, 0x87, 0x0a)),
    box('ftyp', new TextEncoder().encode('jp2 \0\0\0\0jp2 ')),
    box('jp2h', ...header),
    box('xml ', new TextEncoder().encode(parts.xml)),
    box('jp2c', parts.codestream),
  ]);
}

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
  /** log2 of the side of precincts at every level; absent: one precinct per resolution. */
  readonly precinctExponent?: number;
  readonly packetLengths: boolean;
}

/** HMI, EIT, MDI and LASCO files of the archive. */
export const PLAIN_STYLE: CodingStyle = { levels: 8, layerRatios: [512, 256, 128, 64, 40, 24, 16, 10], packetLengths: true };
/** AIA files of the archive: 128x128 precincts. */
export const AIA_STYLE: CodingStyle = { ...PLAIN_STYLE, precinctExponent: 7 };
/** SWAP and EUI files of ROB: 5 levels, 4 layers. */
export const ROB_STYLE: CodingStyle = { levels: 5, layerRatios: [64, 32, 16, 10], precinctExponent: 7, packetLengths: true };
/** The oldest files: without packet lengths, so that a reader has to parse the packet headers. */
export const OLD_STYLE: CodingStyle = { ...PLAIN_STYLE, packetLengths: false };

const RPCL = 2;

/** Encodes with the 9/7 transform. @throws Error when OpenJPEG fails */
export function encodeGrey({ width, height, samples }: GreyImage, style: CodingStyle): Uint8Array {
  const levels = Math.min(style.levels, Math.floor(Math.log2(Math.min(width, height))));
  const options = { lossless: false, levels, layerRatios: style.layerRatios, order: RPCL };
  const codestream = encodeSamples({ width, height, precision: 8, signed: false, components: [samples] }, options);
  return repacked(codestream, style);
}
