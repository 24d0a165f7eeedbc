// Splits codestreams of OpenJPEG (one tile, component and precinct) into code-blocks, and writes these with precincts and packet lengths.
import { parseCodestream, parseMainHeader } from '../../src/jp2/codestream.ts';
import { emptyHeader, resolveParameters } from '../../src/jp2/markers.ts';
import { precinctBand, type Rect, tileComponents } from '../../src/jp2/structure.ts';
import { concatenated } from '../../src/platform/util/bytes.ts';

const COD = 0xff52;
const CODE_BLOCK_SIZE = 64;

interface CodeBlock {
  zeroBitplanes: number;
  /** First layer with a contribution; the number of layers for a block without contributions. */
  firstLayer: number;
  readonly layers: ({ readonly passes: number; readonly bytes: Uint8Array } | undefined)[];
}

/** The code blocks of a subband, or of its part in a precinct, row by row. */
type Portion = { readonly blocksWide: number; readonly blocks: readonly CodeBlock[] };

/** Layers and resolutions by a main header. */
function geometryOf(mainHeader: Uint8Array) {
  const { size, main } = parseMainHeader(mainHeader);
  const parameters = resolveParameters(1, main, emptyHeader());
  return { layerCount: parameters.layers, resolutions: tileComponents(size, 0, parameters)[0]!.resolutions };
}

/** Columns and rows of code blocks in a rectangle of a subband, ends exclusive. */
const blocksOf = ({ x0, y0, x1, y1 }: Rect) => ({
  ...{ left: Math.floor(x0 / CODE_BLOCK_SIZE), right: Math.ceil(x1 / CODE_BLOCK_SIZE) },
  ...{ top: Math.floor(y0 / CODE_BLOCK_SIZE), bottom: Math.ceil(y1 / CODE_BLOCK_SIZE) },
});

function emptyBand(band: Rect): Portion {
  const { right: blocksWide, bottom: blocksHigh } = blocksOf(band);
  const block = (): CodeBlock => ({ zeroBitplanes: 0, firstLayer: 0, layers: [] });
  return { blocksWide, blocks: Array.from({ length: blocksWide * blocksHigh }, block) };
}

function portionOf({ blocksWide, blocks }: Portion, part: Rect): Portion {
  const { left, right, top, bottom } = blocksOf(part);
  const isIn = (x: number, y: number) => x >= left && x < right && y >= top && y < bottom;
  return {
    blocksWide: Math.max(0, right - left),
    blocks: blocks.filter((_, i) => isIn(i % blocksWide, Math.floor(i / blocksWide))),
  };
}

interface PackOptions {
  /** log2 of the precinct side at every resolution (7 = 128x128), undefined for one precinct per resolution. */
  readonly precinctExponent?: number;
  /** Whether to write PLT marker segments. */
  readonly packetLengths: boolean;
}

const MAX_PLT_PAYLOAD = 65_535 - 3;

/** A codestream with equal code blocks in other packets. @throws Error for a codestream of another form */
export function repacked(codestream: Uint8Array, { precinctExponent: exponent, packetLengths }: PackOptions): Uint8Array {
  const { mainHeader: given, tiles } = parseCodestream(codestream);
  const { start, end } = tiles.get(0)!.parts[0]!;
  const { layerCount, resolutions } = geometryOf(given);
  const bands = resolutions.map((resolution) => resolution.bands.map(emptyBand));
  let position = start;
  for (const resolution of bands) position = readResolution(codestream, position, resolution, layerCount);
  if (position !== end) throw new Error(`The packets end at byte ${position}, but the tile-part at ${end}.`);
  const mainHeader = exponent === undefined ? given : withPrecincts(given, exponent);
  const packets = geometryOf(mainHeader).resolutions.flatMap((r, level) =>
    Array.from({ length: r.precinctsAcross * r.precinctsDown }, (_, k) =>
      r.bands.map((band, i) => portionOf(bands[level]![i]!, precinctBand(r, k, band))),
    ).flatMap((precinct) => writePrecinct(precinct, layerCount)),
  );
  const lengths = packetLengths ? pltSegments(packets.map((packet) => packet.length)) : [];
  const bodyLength = [...lengths, ...packets].reduce((sum, piece) => sum + piece.length, 0);
  return concatenated([
    mainHeader,
    tilePartHeader(12 + bodyLength + 2),
    ...lengths,
    Uint8Array.of(0xff, 0x93),
    ...packets,
    Uint8Array.of(0xff, 0xd9),
  ]);
}

function headerState({ blocksWide, blocks }: Portion) {
  const blocksHigh = blocksWide === 0 ? 0 : blocks.length / blocksWide;
  const [inclusion, zeroBitplanes] = [tagTree(blocksWide, blocksHigh), tagTree(blocksWide, blocksHigh)];
  return { blocksWide, blocks, inclusion, zeroBitplanes, lengthBits: new Uint8Array(blocks.length).fill(3) };
}

function readResolution(bytes: Uint8Array, start: number, resolution: readonly Portion[], layerCount: number): number {
  const states = resolution.map(headerState);
  for (const { blocks } of states) for (const block of blocks) block.firstLayer = layerCount;
  let position = start;
  for (let layer = 0; layer < layerCount; layer++) {
    const reader = headerBitReader(bytes, position);
    const found: { block: CodeBlock; passes: number; length: number }[] = [];
    if (reader.bit() === 1)
      for (const { blocksWide, blocks, inclusion, zeroBitplanes, lengthBits } of states)
        blocks.forEach((block, i) => {
          const [x, y] = [i % blocksWide, Math.floor(i / blocksWide)];
          if (block.firstLayer === layerCount) {
            if (!inclusion.decode(reader, x, y, layer + 1)) return;
            block.firstLayer = layer;
            let planes = 0;
            while (!zeroBitplanes.decode(reader, x, y, planes + 1)) planes += 1;
            block.zeroBitplanes = planes;
          } else if (reader.bit() === 0) return;
          const passes = readPassCount(reader);
          while (reader.bit() === 1) lengthBits[i]! += 1;
          found.push({ block, passes, length: reader.bits(lengthBits[i]! + Math.floor(Math.log2(passes))) });
        });
    position = reader.end();
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

/** The packets of one precinct, one per layer (B.10). */
function writePrecinct(precinct: readonly Portion[], layerCount: number): Uint8Array[] {
  const states = precinct.map(headerState);
  for (const { blocksWide, blocks, inclusion, zeroBitplanes } of states)
    blocks.forEach((block, i) => {
      inclusion.set(i % blocksWide, Math.floor(i / blocksWide), block.firstLayer);
      zeroBitplanes.set(i % blocksWide, Math.floor(i / blocksWide), block.zeroBitplanes);
    });
  return Array.from({ length: layerCount }, (_, layer) => {
    if (!precinct.some(({ blocks }) => blocks.some((block) => block.layers[layer]))) return Uint8Array.of(0);
    const header = [1];
    const bodies: Uint8Array[] = [];
    for (const state of states)
      state.blocks.forEach((block, i) => {
        const [x, y] = [i % state.blocksWide, Math.floor(i / state.blocksWide)];
        const added = block.layers[layer];
        if (block.firstLayer < layer) header.push(added ? 1 : 0);
        else state.inclusion.encode(header, x, y, layer + 1);
        if (!added) return;
        if (block.firstLayer === layer)
          for (let planes = 0; planes <= block.zeroBitplanes; planes++) state.zeroBitplanes.encode(header, x, y, planes + 1);
        header.push(...passCode(added.passes));
        const passBits = Math.floor(Math.log2(added.passes));
        const needed = Math.max(1, 32 - Math.clz32(added.bytes.length)) - passBits;
        for (; state.lengthBits[i]! < needed; state.lengthBits[i]!++) header.push(1);
        header.push(0, ...bitsOf(added.bytes.length, state.lengthBits[i]! + passBits));
        bodies.push(added.bytes);
      });
    return concatenated([packed(header), ...bodies]);
  });
}

/** Table B.4. */
function passCode(passes: number): number[] {
  if (passes <= 2) return bitsOf(2 * (passes - 1), passes);
  if (passes <= 5) return bitsOf(0b1100 | (passes - 3), 4);
  return passes <= 36 ? bitsOf(0b1111_00000 | (passes - 6), 9) : bitsOf(0b1111_11111_0000000 | (passes - 37), 16);
}

/** COD with a precinct size for every resolution (A.6.1). */
function withPrecincts(mainHeader: Uint8Array, exponent: number): Uint8Array {
  const view = new DataView(mainHeader.buffer, mainHeader.byteOffset, mainHeader.byteLength);
  let at = 2;
  while (view.getUint16(at) !== COD) at += 2 + view.getUint16(at + 2);
  const end = at + 2 + view.getUint16(at + 2);
  const resolutions = view.getUint8(at + 9) + 1;
  const segment = mainHeader.slice(at, end);
  segment[3]! += resolutions;
  segment[4] = segment[4]! | 1;
  return concatenated([
    mainHeader.subarray(0, at),
    segment,
    new Uint8Array(resolutions).fill((exponent << 4) | exponent),
    mainHeader.subarray(end),
  ]);
}

/** PLT segments (A.7.3): lengths in groups of seven bits, never split between segments. */
function pltSegments(packetLengths: number[]): Uint8Array[] {
  const payloads: number[][] = [[]];
  for (const length of packetLengths) {
    const code = [length & 0x7f];
    for (let rest = length >>> 7; rest > 0; rest >>>= 7) code.unshift((rest & 0x7f) | 0x80);
    if ((payloads.at(-1) as number[]).length + code.length > MAX_PLT_PAYLOAD) payloads.push([]);
    (payloads.at(-1) as number[]).push(...code);
  }
  return payloads.map((payload, index) => {
    const length = 3 + payload.length;
    return Uint8Array.from([0xff, 0x58, length >> 8, length & 0xff, index, ...payload]);
  });
}

/** SOT of the only tile-part (A.4.2). */
function tilePartHeader(tilePartLength: number): Uint8Array {
  const [a, b, c, d] = [24, 16, 8, 0].map((shift) => tilePartLength >>> shift) as [number, number, number, number];
  return Uint8Array.of(0xff, 0x90, 0, 10, 0, 0, a, b, c, d, 0, 1);
}

const UNKNOWN = 0x7fffffff;
const treeLevel = (width: number, height: number) => ({
  width,
  values: new Int32Array(width * height).fill(UNKNOWN),
  lows: new Int32Array(width * height),
  known: new Uint8Array(width * height),
});
type Level = ReturnType<typeof treeLevel>;

/** A tree over `width` x `height` leaves, all values unknown. */
function tagTree(width: number, height: number) {
  const levels = [treeLevel(width, height)];
  for (let [w, h] = [width, height]; w * h > 1; levels.push(treeLevel(w, h))) [w, h] = [(w + 1) >> 1, (h + 1) >> 1];

  /** Settles values from the root on until the comparison is decided. @returns whether the leaf's value is below `threshold` */
  function isBelow(x: number, y: number, threshold: number, settle: (level: Level, at: number, low: number) => boolean): boolean {
    let low = 0;
    for (let depth = levels.length - 1; depth >= 0; depth--) {
      const level = levels[depth]!;
      const at = (y >> depth) * level.width + (x >> depth);
      low = Math.max(low, level.lows[at]!);
      while (low < threshold && level.known[at] === 0) {
        if (settle(level, at, low)) level.known[at] = 1;
        else low += 1;
      }
      level.lows[at] = low;
    }
    const at = y * width + x;
    return levels[0]!.known[at] === 1 && levels[0]!.values[at]! < threshold;
  }

  return {
    /** Sets a leaf and lowers its ancestors' minima; for encoding, before the first `encode`. */
    set(x: number, y: number, value: number): void {
      for (const [depth, level] of levels.entries()) {
        const at = (y >> depth) * level.width + (x >> depth);
        level.values[at] = Math.min(level.values[at]!, value);
      }
    },

    /** Reads bits until the comparison is decided. @returns whether the leaf's value is below `threshold` */
    decode: (reader: HeaderBitReader, x: number, y: number, threshold: number) =>
      isBelow(x, y, threshold, (level, at, low) => {
        if (reader.bit() === 0) return false;
        level.values[at] = low;
        return true;
      }),

    /** Adds the bits that `decode` reads with the same threshold. */
    encode(header: number[], x: number, y: number, threshold: number): void {
      isBelow(x, y, threshold, (level, at, low) => {
        const reached = level.values[at]! <= low;
        header.push(reached ? 1 : 0);
        return reached;
      });
    },
  };
}

type HeaderBitReader = ReturnType<typeof headerBitReader>;

function headerBitReader(bytes: Uint8Array, start: number) {
  let [position, current, left] = [start, 0, 0];
  const bit = (): number => {
    if (left === 0) {
      left = current === 0xff ? 7 : 8;
      current = bytes[position++] ?? 0;
    }
    left -= 1;
    return (current >> left) & 1;
  };
  return {
    bit,
    bits: (count: number) => numberOf(Array.from({ length: count }, bit)),
    /** The byte after the header, which never ends in 0xFF. */
    end: () => (current === 0xff ? position + 1 : position),
  };
}

/** Bits of a packet header as bytes: one after 0xFF has seven, and none ends in 0xFF (B.10.1). */
function packed(bits: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  for (let at = 0; at < bits.length || bytes.at(-1) === 0xff; ) {
    const count = bytes.at(-1) === 0xff ? 7 : 8;
    bytes.push(numberOf(Array.from({ length: count }, (_, i) => bits[at + i] ?? 0)));
    at += count;
  }
  return Uint8Array.from(bytes);
}

const numberOf = (bits: readonly number[]) => bits.reduce((number, bit) => 2 * number + bit, 0);
const bitsOf = (value: number, count: number) => Array.from({ length: count }, (_, i) => (value >> (count - 1 - i)) & 1);
