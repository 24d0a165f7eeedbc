// The headers of a codestream (ISO/IEC 15444-1 Annex A): main header, tile-parts, packet lengths, packed packet headers.
import { concatenated } from '../platform/util/bytes.ts';
import { ByteReader } from './bytes.ts';
import { malformed, tooLarge } from './errors.ts';
import { MAX_HEADER_BYTES } from './limits.ts';
import type { HeaderMarkers, ImageSize } from './markers.ts';
import { changesParameters, EOC, emptyHeader, PLT, PPM, PPT, readSegment, readSize, SIZ, SOC, SOD, SOT } from './markers.ts';

/** The packets of one tile-part: codestream offsets [start, end). */
type TilePart = { readonly start: number; readonly end: number };

export interface Tile {
  readonly header: HeaderMarkers;
  /** The marker segments of the tile that change its parameters, concatenated. */
  readonly segments: Uint8Array;
  readonly parts: readonly TilePart[];
  /** Packet lengths from PLT, in codestream order; empty without PLT. */
  readonly packetLengths: readonly number[];
  /** The packet headers of the tile from PPM or PPT; null where they are in place. */
  readonly packedHeaders: Uint8Array | null;
}

export interface Codestream {
  readonly size: ImageSize;
  readonly main: HeaderMarkers;
  /** SOC up to the first SOT. */
  readonly mainHeader: Uint8Array;
  readonly tiles: ReadonlyMap<number, Tile>;
  /** True when EOC follows the last tile-part. */
  readonly isEnded: boolean;
  /** Bytes up to the end of EOC, or of the last tile-part without it. */
  readonly length: number;
}

interface OpenTile {
  header: HeaderMarkers;
  segments: Uint8Array[];
  parts: TilePart[];
  packetLengths: number[];
  packed: Uint8Array[];
}

/** Splits PPM data into the packet headers of each tile-part in codestream order (A.7.4). */
function splitPackedMain(segments: ReadonlyMap<number, Uint8Array>): Uint8Array[] {
  const order = [...segments.keys()].sort((a, b) => a - b);
  const r = new ByteReader(concatenated(order.map((index) => segments.get(index) as Uint8Array)), 'packed packet headers (PPM)');
  const chunks: Uint8Array[] = [];
  while (r.left > 0) chunks.push(r.take(r.u32()));
  return chunks;
}

/** Reads the packet lengths of one PLT segment (A.7.3). A length must not continue in the next segment. */
function readPacketLengths(r: ByteReader, into: number[]): void {
  r.u8();
  let value = 0;
  while (r.left > 0) {
    const byte = r.u8();
    value = value * 128 + (byte & 127);
    if (value > 0xffffffff) throw malformed('A packet length in PLT has more than 32 bits.');
    if (byte < 128) {
      into.push(value);
      value = 0;
    }
  }
}

/** Markers without a segment (A.1.3), which readers skip. */
const standsAlone = (marker: number): boolean => marker >= 0xff30 && marker <= 0xff3f;

function nextSegment(r: ByteReader): { marker: number; content: ByteReader; whole: Uint8Array } {
  const from = r.position;
  const marker = r.u16();
  const length = standsAlone(marker) ? 0 : r.u16();
  if (marker < 0xff00 || (length < 2 && !standsAlone(marker)))
    throw malformed(`A header has ${marker.toString(16).padStart(4, '0')} instead of a marker segment.`);
  r.take(Math.max(0, length - 2));
  const content = new ByteReader(r.bytes, `marker segment ${marker.toString(16)}`, from + 4, r.position);
  return { marker, content, whole: r.bytes.subarray(from, r.position) };
}

export function parseMainHeader(bytes: Uint8Array) {
  const r = new ByteReader(bytes, 'codestream main header');
  if (r.u16() !== SOC) throw malformed('The codestream does not begin with SOC.');
  const main = emptyHeader();
  const packed = new Map<number, Uint8Array>();
  let size: ImageSize | null = null;
  while (r.left >= 2) {
    if (bytes[r.position] === 0xff && bytes[r.position + 1] === (SOT & 0xff)) break;
    const { marker, content } = nextSegment(r);
    if (r.position > MAX_HEADER_BYTES) throw tooLarge(`The main header has more than ${MAX_HEADER_BYTES} bytes.`);
    if (marker === SIZ) size = readSize(content);
    else if (!size) throw malformed('SIZ is not the first marker segment of the codestream.');
    else if (marker === PPM) packed.set(content.u8(), content.take(content.left));
    else readSegment(marker, content, size.components.length, main);
  }
  if (!size) throw malformed('The main header has no SIZ marker segment.');
  return { size, main, packed, length: r.position };
}

/** Parameters of a tile from the marker segments that a sidecar stores. */
export function parseTileSegments(segments: Uint8Array, components: number): HeaderMarkers {
  const header = emptyHeader();
  const r = new ByteReader(segments, 'tile header');
  while (r.left > 0) {
    const { marker, content } = nextSegment(r);
    readSegment(marker, content, components, header);
  }
  return header;
}

/** Reads one tile-part header after its SOT; returns the position after SOD. */
function readTilePartHeader(r: ByteReader, components: number, tile: OpenTile): void {
  while (true) {
    if (r.bytes[r.position] === 0xff && r.bytes[r.position + 1] === (SOD & 0xff)) {
      r.u16();
      return;
    }
    const { marker, content, whole } = nextSegment(r);
    if (marker === PLT) readPacketLengths(content, tile.packetLengths);
    else if (marker === PPT) {
      content.u8();
      tile.packed.push(content.take(content.left));
    } else {
      readSegment(marker, content, components, tile.header);
      if (changesParameters(marker)) tile.segments.push(whole);
    }
  }
}

/** Reads all headers of a whole codestream. @throws Jp2Error when they are malformed or truncated, or use an unsupported feature */
export function parseCodestream(bytes: Uint8Array): Codestream {
  const { size, main, packed, length } = parseMainHeader(bytes);
  const packedMain = packed.size ? splitPackedMain(packed) : null;
  const tiles = new Map<number, OpenTile>();
  const r = new ByteReader(bytes, 'codestream', length);
  let partNumber = 0;
  let isEnded = false;
  while (r.left >= 2) {
    const from = r.position;
    const marker = r.u16();
    if (marker === EOC) {
      isEnded = true;
      break;
    }
    if (marker !== SOT && tiles.size === size.tilesAcross * size.tilesDown) {
      // Other bytes in place of EOC: whether packets are missing is seen when they are read.
      r.position = from;
      break;
    }
    if (marker !== SOT)
      throw malformed(`The codestream has ${marker.toString(16).padStart(4, '0')} instead of a tile-part or its end.`);
    r.u16();
    const number = r.u16();
    const stated = r.u32();
    r.u16();
    if (number >= size.tilesAcross * size.tilesDown)
      throw malformed(`A tile-part belongs to tile ${number} of ${size.tilesAcross * size.tilesDown}.`);
    const tile = tiles.get(number) ?? { header: emptyHeader(), segments: [], parts: [], packetLengths: [], packed: [] };
    tiles.set(number, tile);
    readTilePartHeader(r, size.components.length, tile);
    // Psot 0: the last tile-part extends to EOC, which its packet lengths or the end of the file tell.
    const end = stated ? from + stated : endOfPackets(bytes, r.position, tile);
    if (end < r.position || end > bytes.length)
      throw malformed(`A tile-part states ${end - from} bytes, and the codestream ends after ${bytes.length - from}.`);
    tile.parts.push({ start: r.position, end });
    if (packedMain) tile.packed.push(packedMain[partNumber] ?? new Uint8Array(0));
    partNumber++;
    r.position = end;
  }
  const tileCount = size.tilesAcross * size.tilesDown;
  if (tiles.size < tileCount) throw malformed(`The codestream has tile-parts of ${tiles.size} tiles instead of ${tileCount}.`);
  const finished = [...tiles].map(([number, { segments, packed, ...tile }]): [number, Tile] => {
    const packedHeaders = packed.length ? concatenated(packed) : null;
    return [number, { ...tile, segments: concatenated(segments), packedHeaders }];
  });
  return { size, main, mainHeader: bytes.subarray(0, length), tiles: new Map(finished), isEnded, length: r.position };
}

/** Warning about a codestream that can be shown. */
export const NO_END = 'The codestream does not end with EOC, but has all of its packets.';

export const hasEnd = (bytes: Uint8Array, at: number): boolean => bytes[at] === 0xff && bytes[at + 1] === (EOC & 0xff);

/** The end of a last tile-part of unknown length: by PLT where the tile has no other part, else at EOC at the end of the bytes. */
function endOfPackets(bytes: Uint8Array, start: number, { parts, packetLengths }: OpenTile): number {
  const stated = start + packetLengths.reduce((sum, length) => sum + length, 0);
  if (parts.length === 0 && hasEnd(bytes, stated)) return stated;
  return hasEnd(bytes, bytes.length - 2) ? bytes.length - 2 : bytes.length;
}
