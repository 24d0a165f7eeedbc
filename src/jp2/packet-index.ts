// Index of the packets of every precinct, built at ingest from all packet headers, so that a window is a few byte ranges.
import { ByteWriter } from './bytes.ts';
import { type Codestream, hasEnd, type Tile } from './codestream.ts';
import { type CoreExports, checked, checkedAddress, copyIn, withCore } from './core/core.ts';
import { Jp2Error } from './errors.ts';
import {
  MAX_CODEBLOCK_VISITS,
  MAX_INLINE_CODEBLOCKS,
  MAX_PACKETS,
  MAX_PROGRESSION_STEPS,
  MAX_RESOLUTION_LEVELS,
} from './limits.ts';
import { type ImageSize, type ProgressionVolume, resolveParameters, type TileParameters } from './markers.ts';
import type { Rect, Resolution, TileComponent } from './structure.ts';
import { codeblocksPerPrecinct, precinctBand, tileComponents, tileRect } from './structure.ts';

/** The work that the headers of one codestream may cause, before any packet is read. Its methods throw a Jp2Error (too-large) when their limit is exceeded. */
export class WorkBudget {
  readonly #spent = new Map<string, number>();

  #spend(what: string, amount: number, limit: number): void {
    const total = (this.#spent.get(what) ?? 0) + amount;
    if (total > limit) throw new Jp2Error('too-large', `The codestream has more than ${limit} ${what}.`);
    this.#spent.set(what, total);
  }

  /** To be called before the geometry of a tile is computed. */
  openTile(parameters: TileParameters): void {
    const levels = parameters.coding.reduce((sum, coding) => sum + coding.levels + 1, 0);
    this.#spend('resolution levels', levels, MAX_RESOLUTION_LEVELS);
  }

  /** To be called before the packets of a tile are read. */
  openPackets(components: readonly TileComponent[], layers: number): void {
    for (const tc of components) {
      this.#spend('packets', tc.precinctCount * layers, MAX_PACKETS);
      for (const r of tc.resolutions) {
        const visits = r.precinctsAcross * r.precinctsDown * codeblocksPerPrecinct(r) * layers;
        this.#spend('code-blocks times layers', visits, MAX_CODEBLOCK_VISITS);
      }
    }
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

class PartCursor {
  #part = 0;
  position: number;
  readonly #tile: Tile;

  constructor(tile: Tile) {
    this.#tile = tile;
    this.position = tile.parts[0]?.start ?? 0;
  }

  /** End of the tile-part at the position; null after the last one. */
  end(): number | null {
    while (this.#part < this.#tile.parts.length) {
      const { end } = this.#tile.parts[this.#part] as { end: number };
      if (this.position < end) return end;
      this.#part++;
      this.position = this.#tile.parts[this.#part]?.start ?? 0;
    }
    return null;
  }
}

/** Packets of one resolution level as the walk finds them, precinct-major. */
type LevelWalk = ReturnType<typeof newWalk>;

function newWalk(precincts: number, layers: number) {
  const packets = precincts * layers;
  return {
    precincts: new Array<number>(precincts).fill(0),
    seen: new Uint8Array(packets),
    headerOffsets: new Uint32Array(packets),
    headerLengths: new Uint32Array(packets),
    bodyOffsets: new Uint32Array(packets),
    bodyLengths: new Uint32Array(packets),
  };
}

/** True when the packets of every precinct are contiguous, with headers in place. */
function isContiguous(walk: LevelWalk, precincts: number, layers: number): boolean {
  for (let k = 0; k < precincts; k++)
    for (let layer = 1; layer < layers; layer++) {
      const at = k * layers + layer;
      const before = at - 1;
      if (walk.headerOffsets[at] !== walk.bodyOffsets[before]! + walk.bodyLengths[before]!) return false;
    }
  return true;
}

function inlineLevel(walk: LevelWalk, precincts: number, layers: number): InlineLevel {
  const offsets = new Uint32Array(precincts);
  const lengths = new Uint32Array(precincts);
  for (let k = 0; k < precincts; k++) {
    const last = (k + 1) * layers - 1;
    offsets[k] = walk.headerOffsets[k * layers]!;
    lengths[k] = walk.bodyOffsets[last]! + walk.bodyLengths[last]! - offsets[k]!;
  }
  return { kind: 'inline', offsets, lengths };
}

function packedLevel(walk: LevelWalk, headerBytes: Uint8Array, precincts: number, layers: number): PackedLevel {
  const headers = new ByteWriter();
  const headerStarts = new Uint32Array(precincts + 1);
  let at = 0;
  for (let k = 0; k < precincts; k++) {
    headerStarts[k] = at;
    for (let layer = 0; layer < layers; layer++) {
      const packet = k * layers + layer;
      const offset = walk.headerOffsets[packet]!;
      const length = walk.headerLengths[packet]!;
      headers.put(headerBytes.subarray(offset, offset + length));
      at += length;
    }
  }
  headerStarts[precincts] = at;
  const { headerLengths, bodyOffsets, bodyLengths } = walk;
  return { kind: 'packed', headerLengths, bodyOffsets, bodyLengths, headerStarts, headers: headers.finish() };
}

/** Reads every packet of a tile in order. Packet headers come from the codestream, or from PPM/PPT. */
class TileWalk {
  readonly parameters: TileParameters;
  readonly components: TileComponent[];
  /** Bytes after the last packet in its tile-part. */
  unusedBytes = 0;
  end = 0;
  readonly #walks: LevelWalk[][];
  readonly #core: CoreExports;
  readonly #codestream: Codestream;
  readonly #number: number;
  readonly #tile: Tile;
  readonly #budget: WorkBudget;

  constructor(core: CoreExports, codestream: Codestream, number: number, tile: Tile, budget: WorkBudget) {
    this.#core = core;
    this.#codestream = codestream;
    this.#number = number;
    this.#tile = tile;
    this.#budget = budget;
    this.parameters = resolveParameters(codestream.size.components.length, codestream.main, tile.header);
    budget.openTile(this.parameters);
    this.components = tileComponents(codestream.size, number, this.parameters);
    budget.openPackets(this.components, this.parameters.layers);
    this.#walks = this.components.map((tc) =>
      tc.resolutions.map((r) => newWalk(r.precinctsAcross * r.precinctsDown, this.parameters.layers)),
    );
  }

  /** `base`: address of the whole codestream in the core; `packedBase`: address of the packed headers, if any. */
  run(base: number, packedBase: number): void {
    const cursor = new PartCursor(this.#tile);
    const packed = this.#tile.packedHeaders;
    let packedAt = 0;
    const codestream = this.#codestream;
    const number = this.#number;
    const { parameters, components } = this;
    const budget = this.#budget;
    for (const packet of packetOrder(codestream.size, number, parameters, components, budget)) {
      const end = cursor.end();
      if (end === null && !packed) this.#refuseMissing(packet);
      if (packed) packedAt = this.#readPacked(packet, cursor, end ?? cursor.position, base, packedBase, packedAt);
      else this.#readInline(packet, cursor, end as number, base);
    }
    const end = cursor.end();
    this.unusedBytes = end === null ? 0 : end - cursor.position;
    this.end = cursor.position;
  }

  #refuseMissing(packet: Packet): never {
    throw new Jp2Error(
      'malformed',
      `The codestream is cut short: it ends before resolution level ${packet.resolution}, layer ${packet.layer + 1}.`,
    );
  }

  #walkOf(packet: Packet): LevelWalk {
    return (this.#walks[packet.component] as LevelWalk[])[packet.resolution] as LevelWalk;
  }

  #precinctOf(packet: Packet, walk: LevelWalk): number {
    const open = walk.precincts[packet.precinct]!;
    if (open) return open;
    const tc = this.components[packet.component] as TileComponent;
    const opened = openPrecinct(this.#core, tc, tc.resolutions[packet.resolution] as Resolution, packet.precinct);
    walk.precincts[packet.precinct] = opened;
    return opened;
  }

  #read(packet: Packet, from: number, to: number, offset: number, packed: boolean): number {
    const walk = this.#walkOf(packet);
    const style = (this.components[packet.component] as TileComponent).coding.blockStyle;
    return checked(this.#core.readPacket(this.#precinctOf(packet, walk), packet.layer, style, from, to, offset, packed ? 1 : 0));
  }

  #keep(packet: Packet, headerOffset: number, headerLength: number, bodyOffset: number, end: number): number {
    const bodyLength = (this.#core.packetBodyLength.value as number) >>> 0;
    if (bodyOffset + bodyLength > end) this.#refuseMissing(packet);
    const walk = this.#walkOf(packet);
    const at = packet.precinct * this.parameters.layers + packet.layer;
    walk.seen[at] = 1;
    walk.headerOffsets[at] = headerOffset;
    walk.headerLengths[at] = headerLength;
    walk.bodyOffsets[at] = bodyOffset;
    walk.bodyLengths[at] = bodyLength;
    return bodyOffset + bodyLength;
  }

  #readInline(packet: Packet, cursor: PartCursor, end: number, base: number): void {
    const start = cursor.position;
    const length = this.#read(packet, base + start, base + end, start, false);
    cursor.position = this.#keep(packet, start, length, start + length, end);
  }

  #readPacked(packet: Packet, cursor: PartCursor, end: number, base: number, packedBase: number, packedAt: number): number {
    const packed = this.#tile.packedHeaders as Uint8Array;
    // SOP precedes the body when the header is packed (A.8.1).
    const bytes = new DataView(this.#core.memory.buffer, base + cursor.position, Math.max(0, end - cursor.position));
    if (bytes.byteLength >= 6 && bytes.getUint16(0) === 0xff91) cursor.position += 6;
    const length = this.#read(packet, packedBase + packedAt, packedBase + packed.length, cursor.position, true);
    cursor.position = this.#keep(packet, packedAt, length, cursor.position, end);
    return packedAt + length;
  }

  finish(bytes: Uint8Array): TileIndex {
    const layers = this.parameters.layers;
    const headerBytes = this.#tile.packedHeaders ?? bytes;
    const levels = this.components.map((tc, c) =>
      tc.resolutions.map((r, level): LevelIndex => {
        const walk = (this.#walks[c] as LevelWalk[])[level] as LevelWalk;
        const precincts = r.precinctsAcross * r.precinctsDown;
        if (walk.seen.includes(0)) throw new Jp2Error('malformed', 'Some packets of the codestream are in no progression.');
        const inline =
          !this.#tile.packedHeaders && codeblocksPerPrecinct(r) <= MAX_INLINE_CODEBLOCKS && isContiguous(walk, precincts, layers);
        return inline ? inlineLevel(walk, precincts, layers) : packedLevel(walk, headerBytes, precincts, layers);
      }),
    );
    const { segments } = this.#tile;
    return { number: this.#number, segments, parameters: this.parameters, components: this.components, levels };
  }
}

/** Strictness of the reader. */
export interface IndexOptions {
  /** Reject decodable codestreams that have lost data: unused bytes after the packets, unless they begin with EOC. */
  readonly complete: boolean;
}

/**
 * Indexes a whole codestream; `length` is that up to the end of EOC, which a tile-part of unknown or wrong length may contain.
 * @throws Jp2Error when a packet is malformed or missing, or there are too many
 */
export const indexPackets = (
  codestream: Codestream,
  bytes: Uint8Array,
  { complete }: IndexOptions,
): { readonly tiles: TileIndex[]; readonly length: number } =>
  withCore((core) => {
    let { length } = codestream;
    const base = copyIn(core, bytes);
    const indexes: TileIndex[] = [];
    const budget = new WorkBudget();
    for (const [number, tile] of [...codestream.tiles].sort((a, b) => a[0] - b[0])) {
      const before = core.mark();
      const walk = new TileWalk(core, codestream, number, tile, budget);
      walk.run(base, tile.packedHeaders ? copyIn(core, tile.packedHeaders) : 0);
      const isLast = walk.end + walk.unusedBytes === codestream.length - (codestream.isEnded ? 2 : 0);
      if (walk.unusedBytes > 0 && isLast && hasEnd(bytes, walk.end)) length = walk.end + 2;
      else if (complete && walk.unusedBytes > 0) {
        throw new Jp2Error('malformed', `A tile-part has ${walk.unusedBytes} bytes after its last packet.`);
      }
      indexes.push(walk.finish(bytes));
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

const LRCP = 0;
const RLCP = 1;

/** Every precinct with its point on the reference grid in the position progressions. */
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

/** Sort keys of RPCL, PCRL and CPRL: the loops of B.12.1.3 to B.12.1.5, outermost first. */
const POSITION_KEYS: Record<number, readonly (keyof Position)[]> = {
  2: ['resolution', 'y', 'x', 'component', 'precinct'],
  3: ['y', 'x', 'component', 'resolution', 'precinct'],
  4: ['component', 'y', 'x', 'resolution', 'precinct'],
};

function* layerFirst(components: readonly TileComponent[], volume: ProgressionVolume): Generator<Packet> {
  const last = Math.min(volume.resolution1, Math.max(...components.map((tc) => tc.resolutions.length)));
  const layers: [number, number] = [0, volume.layer1];
  const resolutions: [number, number] = [volume.resolution0, last];
  const [outer, inner] = volume.order === LRCP ? [layers, resolutions] : [resolutions, layers];
  for (let a = outer[0]; a < outer[1]; a++)
    for (let b = inner[0]; b < inner[1]; b++) {
      const [layer, resolution] = volume.order === LRCP ? [a, b] : [b, a];
      for (let component = volume.component0; component < Math.min(volume.component1, components.length); component++) {
        const r = components[component]?.resolutions[resolution];
        if (!r) continue;
        for (let precinct = 0; precinct < r.precinctsAcross * r.precinctsDown; precinct++)
          yield { component, resolution, precinct, layer };
      }
    }
}

function* positionFirst(
  size: ImageSize,
  tile: Rect,
  components: readonly TileComponent[],
  volume: ProgressionVolume,
): Generator<Packet> {
  const keys = POSITION_KEYS[volume.order] as readonly (keyof Position)[];
  const list = positions(size, tile, components, volume).sort((a, b) => {
    for (const key of keys) if (a[key] !== b[key]) return a[key] - b[key];
    return 0;
  });
  for (const { component, resolution, precinct } of list)
    for (let layer = 0; layer < volume.layer1; layer++) yield { component, resolution, precinct, layer };
}

/** All packets of tile `number` in codestream order. With POC, packets of an earlier progression are skipped. */
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
  const volumes = parameters.progressions.length ? parameters.progressions : [whole];
  const first: number[] = [];
  let precincts = 0;
  for (const tc of components) {
    first.push(precincts);
    precincts += tc.precinctCount;
  }
  const given = volumes.length > 1 ? new Uint8Array(precincts * parameters.layers) : null;
  for (const volume of volumes) {
    const bounded = { ...volume, layer1: Math.min(volume.layer1, parameters.layers) };
    budget.openProgression(components, bounded);
    const packets =
      volume.order === LRCP || volume.order === RLCP
        ? layerFirst(components, bounded)
        : positionFirst(size, tile, components, bounded);
    for (const packet of packets) {
      if (given) {
        const r = components[packet.component]?.resolutions[packet.resolution];
        const at =
          ((first[packet.component] ?? 0) + (r?.firstPrecinct ?? 0) + packet.precinct) * parameters.layers + packet.layer;
        if (given[at]) continue;
        given[at] = 1;
      }
      yield packet;
    }
  }
}
