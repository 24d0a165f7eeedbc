// Parses codestreams of OpenJPEG: one tile, one component, RPCL, one precinct per resolution, default code-block style.
import { HeaderBitReader } from './bits.ts';
import { TagTree } from './tag-tree.ts';

const SOT = 0xff90;
const SOD = 0xff93;
const COD = 0xff52;
const SIZ = 0xff51;
export const CODE_BLOCK_SIZE = 64;

/** Contribution of a layer to a code block. */
interface Contribution {
  readonly passes: number;
  readonly bytes: Uint8Array;
}

export interface CodeBlock {
  zeroBitplanes: number;
  /** First layer with a contribution; the number of layers for a block without contributions. */
  firstLayer: number;
  readonly layers: (Contribution | undefined)[];
}

export interface Band {
  readonly blocksWide: number;
  readonly blocksHigh: number;
  readonly blocks: CodeBlock[];
}

export interface Resolution {
  readonly width: number;
  readonly height: number;
  readonly bands: Band[];
}

export interface ParsedCodestream {
  /** Marker segments from SOC up to the first SOT. */
  readonly mainHeader: Uint8Array;
  readonly layerCount: number;
  readonly resolutions: Resolution[];
}

const ceilShift = (value: number, shift: number) => Math.ceil(value / 2 ** shift);

/** Splits a codestream into its code blocks. @throws Error for a codestream of another form */
export function parseCodestream(codestream: Uint8Array): ParsedCodestream {
  const view = new DataView(codestream.buffer, codestream.byteOffset, codestream.byteLength);
  let at = 2;
  let [width, height, layerCount, levels] = [0, 0, 0, 0];
  while (view.getUint16(at) !== SOT) {
    const marker = view.getUint16(at);
    if (marker === SIZ) [width, height] = [view.getUint32(at + 6), view.getUint32(at + 10)];
    if (marker === COD) [layerCount, levels] = [view.getUint16(at + 6), view.getUint8(at + 9)];
    at += 2 + view.getUint16(at + 2);
  }
  const mainHeader = codestream.slice(0, at);
  const end = at + view.getUint32(at + 6);
  while (view.getUint16(at) !== SOD) at += 2 + view.getUint16(at + 2);
  const resolutions = Array.from({ length: levels + 1 }, (_, r) => emptyResolution(width, height, levels, r));
  let position = at + 2;
  for (const resolution of resolutions) position = readResolution(codestream, position, resolution, layerCount);
  if (position !== end) throw new Error(`The packets end at byte ${position}, but the tile-part at ${end}.`);
  return { mainHeader, layerCount, resolutions };
}

function emptyResolution(width: number, height: number, levels: number, r: number): Resolution {
  const down = levels - r;
  const orientations =
    r === 0
      ? [[0, 0]]
      : [
          [1, 0],
          [0, 1],
          [1, 1],
        ];
  const bandLevel = r === 0 ? levels : down + 1;
  const bands = orientations.map(([highX = 0, highY = 0]) => {
    const half = bandLevel === 0 ? 0 : 2 ** (bandLevel - 1);
    return emptyBand(ceilShift(width - half * highX, bandLevel), ceilShift(height - half * highY, bandLevel));
  });
  return { width: ceilShift(width, down), height: ceilShift(height, down), bands };
}

function emptyBand(width: number, height: number): Band {
  const [w, h] = [Math.max(0, width), Math.max(0, height)];
  const [blocksWide, blocksHigh] = w * h === 0 ? [0, 0] : [Math.ceil(w / CODE_BLOCK_SIZE), Math.ceil(h / CODE_BLOCK_SIZE)];
  const blocks = Array.from(
    { length: blocksWide * blocksHigh },
    (): CodeBlock => ({ zeroBitplanes: 0, firstLayer: 0, layers: [] }),
  );
  return { blocksWide, blocksHigh, blocks };
}

function readResolution(bytes: Uint8Array, start: number, resolution: Resolution, layerCount: number): number {
  const trees = resolution.bands.map((band) => ({
    inclusion: new TagTree(band.blocksWide, band.blocksHigh),
    zeroBitplanes: new TagTree(band.blocksWide, band.blocksHigh),
  }));
  for (const band of resolution.bands) for (const block of band.blocks) block.firstLayer = layerCount;
  const lengthBits = resolution.bands.map((band) => new Uint8Array(band.blocks.length).fill(3));
  let position = start;
  for (let layer = 0; layer < layerCount; layer++) {
    const reader = new HeaderBitReader(bytes, position);
    const found: { block: CodeBlock; passes: number; length: number }[] = [];
    if (reader.bit() === 1) {
      resolution.bands.forEach((band, b) => {
        const { inclusion, zeroBitplanes } = trees[b] as (typeof trees)[number];
        const bits = lengthBits[b] as Uint8Array;
        band.blocks.forEach((block, i) => {
          const [x, y] = [i % band.blocksWide, Math.floor(i / band.blocksWide)];
          if (block.firstLayer === layerCount) {
            if (!inclusion.decode(reader, x, y, layer + 1)) return;
            block.firstLayer = layer;
            let planes = 0;
            while (!zeroBitplanes.decode(reader, x, y, planes + 1)) planes += 1;
            block.zeroBitplanes = planes;
          } else if (reader.bit() === 0) return;
          const passes = readPassCount(reader);
          while (reader.bit() === 1) bits[i]! += 1;
          found.push({ block, passes, length: reader.bits(bits[i]! + Math.floor(Math.log2(passes))) });
        });
      });
    }
    reader.align();
    position = reader.position;
    for (const { block, passes, length } of found) {
      block.layers[layer] = { passes, bytes: bytes.subarray(position, position + length) };
      position += length;
    }
  }
  return position;
}

/** Table B.4. */
function readPassCount(reader: HeaderBitReader): number {
  if (reader.bit() === 0) return 1;
  if (reader.bit() === 0) return 2;
  const two = reader.bits(2);
  if (two < 3) return 3 + two;
  const five = reader.bits(5);
  return five < 31 ? 6 + five : 37 + reader.bits(7);
}
