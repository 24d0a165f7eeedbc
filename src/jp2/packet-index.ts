// Index of the packets of every precinct, built at ingest from all packet headers, so that a window is a few byte ranges.
import { ByteWriter } from './bytes.ts';
import { type Codestream, hasEnd, type Tile } from './codestream.ts';
import { type CoreExports, checked, checkedAddress, copyIn, withCore } from './core/core.ts';
import { type Jp2Error, malformed, tooLarge } from './errors.ts';
import {
  MAX_CODEBLOCK_VISITS,
  MAX_INLINE_CODEBLOCKS,
  MAX_PACKETS,
  MAX_PROGRESSION_STEPS,
  MAX_RESOLUTION_LEVELS,
} from './limits.ts';
import type { HeaderMarkers, ImageSize, ProgressionVolume, TileParameters } from './markers.ts';
import { resolveParameters } from './markers.ts';
import type { Rect, Resolution, TileComponent } from './structure.ts';
import { codeblocksPerPrecinct, precinctBand, tileComponents, tileRect } from './structure.ts';

/** The work that the headers of one codestream may cause, before any packet is read. Its methods throw a Jp2Error (too-large) when their limit is exceeded. */
export class WorkBudget {
  readonly #spent = new Map<string, number>();

  #spend(what: string, amount: number, limit: number): void {
    const total = (this.#spent.get(what) ?? 0) + amount;
    if (total > limit) throw tooLarge(`The codestream has more than ${limit} ${what}.`);
    this.#spent.set(what, total);
  }

  /** Parameters and geometry of a tile, whose packets may then be read. @throws Jp2Error for headers that contradict each other, too */
  openTile({ size, main }: Pick<Codestream, 'size' | 'main'>, number: number, header: HeaderMarkers) {
    const parameters = resolveParameters(size.components.length, main, header);
    const levels = parameters.coding.reduce((sum, coding) => sum + coding.levels + 1, 0);
    this.#spend('resolution levels', levels, MAX_RESOLUTION_LEVELS);
    const components = tileComponents(size, number, parameters);
    for (const tc of components) {
      this.#spend('packets', tc.precinctCount * parameters.layers, MAX_PACKETS);
      for (const r of tc.resolutions) {
        const visits = r.precinctsAcross * r.precinctsDown * codeblocksPerPrecinct(r) * parameters.layers;
        this.#spend('code-blocks times layers', visits, MAX_CODEBLOCK_VISITS);
      }
    }
    return { parameters, components };
  }

  /** To be called before one progression is walked. Every step of its loops counts, with or without a packet. */
  openProgression(components: readonly TileComponent[], volume: ProgressionVolume): void {
    for (const tc of components.slice(volume.component0, volume.component1))
      for (const r of tc.resolutions.slice(volume.resolution0, volume.resolution1)) {
        const steps = (1 + r.precinctsAcross * r.precinctsDown) * (1 + volume.layer1);
        this.#spend('progression steps', steps, MAX_PROGRESSION_STEPS);
      }
  }
}

/** Precincts of one resolution level whose packets are contiguous: one byte range each, in raster order. */
export type InlineLevel = { readonly kind: 'inline'; readonly offsets: Uint32Array; readonly lengths: Uint32Array };

/** Precincts whose packet headers are in the sidecar, so that only the code-blocks of a window have to be read. */
export interface PackedLevel {
  readonly kind: 'packed';
  /** Per precinct and layer (layer fastest): length of the packet header in `headers`, offset and length of the body. */
  readonly headerLengths: Uint32Array;
  readonly bodyOffsets: Uint32Array;
  readonly bodyLengths: Uint32Array;
  /** Start of each precinct's headers in `headers`, and the end of the last. */
  readonly headerStarts: Uint32Array;
  readonly headers: Uint8Array;
}

export type LevelIndex = InlineLevel | PackedLevel;

/** One tile: parameters, geometry, and the index of every component and resolution level. */
export interface TileIndex {
  readonly number: number;
  /** Marker segments of the tile that change its parameters. */
  readonly segments: Uint8Array;
  readonly parameters: TileParameters;
  readonly components: readonly TileComponent[];
  readonly levels: readonly (readonly LevelIndex[])[];
}

/** Opens precinct `k` of resolution level `r` in the core with all of its subbands. */
export function openPrecinct(core: CoreExports, tc: TileComponent, r: Resolution, k: number): number {
  const precinct = checkedAddress(core.openPrecinct());
  for (const band of r.bands) {
    const { x0, y0, x1, y1 } = precinctBand(r, k, band);
    const bitplanes = band.bitplanes + tc.roiShift;
    checked(core.addBand(precinct, band.orientation, x0, y0, x1, y1, r.log2CodeblockWidth, r.log2CodeblockHeight, bitplanes));
  }
  return precinct;
}

/** Packets of one resolution level as the walk finds them, precinct-major. */
type LevelWalk = ReturnType<typeof newWalk>;

function newWalk(precincts: number, layers: number) {
  const packets = precincts * layers;
  return {
    precincts: new Array<number>(precincts).fill(0),
    headerOffsets: new Uint32Array(packets),
    headerLengths: new Uint32Array(packets),
    bodyOffsets: new Uint32Array(packets),
    bodyLengths: new Uint32Array(packets),
  };
}

/** True when the packets of every precinct are contiguous, with headers in place. */
const isContiguous = ({ headerOffsets, bodyOffsets, bodyLengths }: LevelWalk, layers: number): boolean =>
  headerOffsets.every((offset, at) => at % layers === 0 || offset === bodyOffsets[at - 1]! + bodyLengths[at - 1]!);

function inlineLevel({ precincts, headerOffsets, bodyOffsets, bodyLengths }: LevelWalk, layers: number): InlineLevel {
  const offsets = Uint32Array.from(precincts, (_, k) => headerOffsets[k * layers]!);
  const lengths = offsets.map((offset, k) => {
    const last = (k + 1) * layers - 1;
    return bodyOffsets[last]! + bodyLengths[last]! - offset;
  });
  return { kind: 'inline', offsets, lengths };
}

/** The start of the packet headers of each precinct, and the end of the last. */
export function headerStartsOf(headerLengths: Uint32Array, layers: number): Uint32Array {
  const starts = new Uint32Array(headerLengths.length / layers + 1);
  headerLengths.forEach((length, packet) => {
    starts[Math.floor(packet / layers) + 1]! += length;
  });
  for (let k = 1; k < starts.length; k++) starts[k]! += starts[k - 1]!;
  return starts;
}

function packedLevel(walk: LevelWalk, headerBytes: Uint8Array, layers: number): PackedLevel {
  const { headerOffsets, headerLengths, bodyOffsets, bodyLengths } = walk;
  const headers = new ByteWriter();
  headerOffsets.forEach((offset, packet) => {
    headers.put(headerBytes.subarray(offset, offset + headerLengths[packet]!));
  });
  const headerStarts = headerStartsOf(headerLengths, layers);
  return { kind: 'packed', headerLengths, bodyOffsets, bodyLengths, headerStarts, headers: headers.finish() };
}

/** Bytes of SOP, which precedes the body of a packet whose header is packed (A.8.1). */
const SOP_BYTES = 6;
const isSop = (bytes: Uint8Array, at: number): boolean => bytes[at] === 0xff && bytes[at + 1] === 0x91;

const missing = ({ resolution, layer }: Packet): Jp2Error =>
  malformed(`The codestream is cut short: it ends before resolution level ${resolution}, layer ${layer + 1}.`);

/**
 * Reads every packet of a tile in order. Packet headers come from the codestream, or from PPM/PPT.
 * @param bytes The whole codestream, and `base`: its address in the core
 */
function walkTile(
  core: CoreExports,
  codestream: Codestream,
  number: number,
  tile: Tile,
  { bytes, base, budget }: { readonly bytes: Uint8Array; readonly base: number; readonly budget: WorkBudget },
) {
  const packed = tile.packedHeaders;
  const { parameters, components } = budget.openTile(codestream, number, tile.header);
  const { layers } = parameters;
  const walks = components.map((tc) => tc.resolutions.map((r) => newWalk(r.precinctsAcross * r.precinctsDown, layers)));
  const packedBase = packed ? copyIn(core, packed) : 0;
  let [part, position, packedAt] = [0, tile.parts[0]?.start ?? 0, 0];
  /** End of the tile-part at the position; null after the last one. */
  const partEnd = (): number | null => {
    for (; part < tile.parts.length; position = tile.parts[++part]?.start ?? 0)
      if (position < tile.parts[part]!.end) return tile.parts[part]!.end;
    return null;
  };
  for (const packet of packetOrder(codestream.size, number, parameters, components, budget)) {
    const walk = (walks[packet.component] as LevelWalk[])[packet.resolution] as LevelWalk;
    const at = packet.precinct * layers + packet.layer;
    // An earlier progression had it.
    if (walk.headerLengths[at]) continue;
    const stated = partEnd();
    if (stated === null && !packed) throw missing(packet);
    const end = stated ?? position;
    if (packed && end - position >= SOP_BYTES && isSop(bytes, position)) position += SOP_BYTES;
    const start = position;
    const tc = components[packet.component] as TileComponent;
    walk.precincts[packet.precinct] ||= openPrecinct(core, tc, tc.resolutions[packet.resolution] as Resolution, packet.precinct);
    const from = packed ? packedBase + packedAt : base + start;
    const to = packed ? packedBase + packed.length : base + end;
    const precinct = walk.precincts[packet.precinct]!;
    const length = checked(core.readPacket(precinct, packet.layer, tc.coding.blockStyle, from, to, start, packed ? 1 : 0));
    const bodyOffset = packed ? start : start + length;
    const bodyLength = (core.packetBodyLength.value as number) >>> 0;
    if (bodyOffset + bodyLength > end) throw missing(packet);
    walk.headerOffsets[at] = packed ? packedAt : start;
    walk.headerLengths[at] = length;
    walk.bodyOffsets[at] = bodyOffset;
    walk.bodyLengths[at] = bodyLength;
    position = bodyOffset + bodyLength;
    packedAt += length;
  }
  /** Bytes after the last packet in its tile-part. */
  const unusedBytes = (partEnd() ?? position) - position;
  return { parameters, components, walks, end: position, unusedBytes };
}

/** The index of a tile whose packets have been read. */
function tileIndex(number: number, { segments, packedHeaders }: Tile, walk: ReturnType<typeof walkTile>, bytes: Uint8Array) {
  const { parameters, components, walks } = walk;
  const { layers } = parameters;
  const levels = components.map((tc, c) =>
    tc.resolutions.map((r, level): LevelIndex => {
      const ofLevel = walks[c]![level]!;
      if (ofLevel.headerLengths.includes(0)) throw malformed('Some packets of the codestream are in no progression.');
      const inline = !packedHeaders && codeblocksPerPrecinct(r) <= MAX_INLINE_CODEBLOCKS && isContiguous(ofLevel, layers);
      return inline ? inlineLevel(ofLevel, layers) : packedLevel(ofLevel, packedHeaders ?? bytes, layers);
    }),
  );
  return { number, segments, parameters, components, levels };
}

/**
 * Indexes a whole codestream; `length` is that up to the end of EOC, which a tile-part of unknown or wrong length may contain.
 * @param isStrict Whether to reject decodable codestreams that have lost data: unused bytes after the packets, unless they begin with EOC
 * @throws Jp2Error when a packet is malformed or missing, or there are too many
 */
export const indexPackets = (
  codestream: Codestream,
  bytes: Uint8Array,
  isStrict: boolean,
): { readonly tiles: TileIndex[]; readonly length: number } =>
  withCore((core) => {
    let { length } = codestream;
    const base = copyIn(core, bytes);
    const indexes: TileIndex[] = [];
    const budget = new WorkBudget();
    for (const [number, tile] of [...codestream.tiles].sort((a, b) => a[0] - b[0])) {
      const before = core.mark();
      const walk = walkTile(core, codestream, number, tile, { bytes, base, budget });
      const isLast = walk.end + walk.unusedBytes === codestream.length - (codestream.isEnded ? 2 : 0);
      if (walk.unusedBytes > 0 && isLast && hasEnd(bytes, walk.end)) length = walk.end + 2;
      else if (isStrict && walk.unusedBytes > 0) {
        throw malformed(`A tile-part has ${walk.unusedBytes} bytes after its last packet.`);
      }
      indexes.push(tileIndex(number, tile, walk, bytes));
      core.release(before);
    }
    return { tiles: indexes, length };
  });

/** One packet: component, resolution level, precinct of that level in raster order, layer. */
type Packet = { component: number; resolution: number; precinct: number; layer: number };

interface Position {
  readonly x: number;
  readonly y: number;
  readonly component: number;
  readonly resolution: number;
  readonly precinct: number;
}

/** Every precinct with its point on the reference grid. */
function positions(size: ImageSize, tile: Rect, components: readonly TileComponent[], volume: ProgressionVolume): Position[] {
  const list: Position[] = [];
  for (let component = volume.component0; component < Math.min(volume.component1, components.length); component++) {
    const tc = components[component] as TileComponent;
    const { dx, dy } = size.components[component] as { dx: number; dy: number };
    for (const r of tc.resolutions.slice(volume.resolution0, volume.resolution1)) {
      const decompositions = tc.coding.levels - r.level;
      for (let j = 0, precinct = 0; j < r.precinctsDown; j++) {
        const y = Math.max(tile.y0, (r.precinctY0 + j) * 2 ** (r.log2PrecinctHeight + decompositions) * dy);
        for (let i = 0; i < r.precinctsAcross; i++, precinct++) {
          const x = Math.max(tile.x0, (r.precinctX0 + i) * 2 ** (r.log2PrecinctWidth + decompositions) * dx);
          list.push({ x, y, component, resolution: r.level, precinct });
        }
      }
    }
  }
  return list;
}

type Key = keyof Position;

/** Sort keys of the progressions: the loops of B.12.1 outside of that of the layers, and those inside it, outermost first. */
const PROGRESSIONS: readonly (readonly [outside: readonly Key[], inside: readonly Key[]])[] = [
  [[], ['resolution', 'component', 'precinct']],
  [['resolution'], ['component', 'precinct']],
  [['resolution', 'y', 'x', 'component', 'precinct'], []],
  [['y', 'x', 'component', 'resolution', 'precinct'], []],
  [['component', 'y', 'x', 'resolution', 'precinct'], []],
];

const difference = (keys: readonly Key[], a: Position, b: Position): number => {
  for (const key of keys) if (a[key] !== b[key]) return a[key] - b[key];
  return 0;
};

/** The packets of one progression in its order, from the precincts in it. */
function* packetsOf(list: Position[], { order, layer1 }: ProgressionVolume): Generator<Packet> {
  const [outside, inside] = PROGRESSIONS[order]!;
  const keys = [...outside, ...inside];
  list.sort((a, b) => difference(keys, a, b));
  for (let from = 0, to = 0; from < list.length; from = to) {
    while (to < list.length && difference(outside, list[from]!, list[to]!) === 0) to++;
    for (let layer = 0; layer < layer1; layer++)
      for (let at = from; at < to; at++) {
        const { component, resolution, precinct } = list[at]!;
        yield { component, resolution, precinct, layer };
      }
  }
}

/** All packets of tile `number` in codestream order. With POC, those of an earlier progression may follow again. */
function* packetOrder(
  size: ImageSize,
  number: number,
  parameters: TileParameters,
  components: readonly TileComponent[],
  budget: WorkBudget,
): Generator<Packet> {
  const tile = tileRect(size, number);
  const whole: ProgressionVolume = {
    order: parameters.order,
    resolution0: 0,
    resolution1: 33,
    component0: 0,
    component1: components.length,
    layer1: parameters.layers,
  };
  for (const volume of parameters.progressions.length ? parameters.progressions : [whole]) {
    const bounded = { ...volume, layer1: Math.min(volume.layer1, parameters.layers) };
    budget.openProgression(components, bounded);
    yield* packetsOf(positions(size, tile, components, bounded), bounded);
  }
}
