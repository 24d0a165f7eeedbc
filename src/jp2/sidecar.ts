// The sidecar (.idx) of each JP2 in R2: everything except the code-block bytes. All numbers are varints.
import { readBoxes } from './boxes.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { parseCodestream, parseMainHeader, parseTileSegments } from './codestream.ts';
import { malformed } from './errors.ts';
import type { ImageSize } from './markers.ts';
import { headerStartsOf, indexPackets, type LevelIndex, type TileIndex, WorkBudget } from './packet-index.ts';

/** Version of the format. It is part of the object key, so that a reader never gets a file of another version. */
export const SIDECAR_VERSION = 2;

const MAGIC = new TextEncoder().encode('HEIX');

/** Offset of Rsiz in a main header, after SOC, SIZ and Lsiz. */
const RSIZ_OFFSET = 6;

/** Positions of the boxes of a JP2 file that JPX files copy. */
export interface FileLayout {
  readonly fileLength: number;
  /** The codestream. Offsets of the packet index count from its start. */
  readonly codestreamOffset: number;
  readonly codestreamLength: number;
  /** The text of `xml` of `readBoxes`; length 0 without one. */
  readonly xmlOffset: number;
  readonly xmlLength: number;
  /** The whole JP2 header box (jp2h); null without one. */
  readonly header: Uint8Array | null;
}

export interface Jp2Index extends FileLayout {
  /** Embedded palette, 256 times R, G, B; null without one. */
  readonly palette: Uint8Array | null;
  readonly size: ImageSize;
  /** SOC up to the first SOT. */
  readonly mainHeader: Uint8Array;
  readonly tiles: readonly TileIndex[];
}

/** Signed to unsigned: 0, -1, 1, -2, ... */
const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);
const unzigzag = (value: number): number => (value % 2 ? -(value + 1) / 2 : value / 2);

function writeLevel(w: ByteWriter, level: LevelIndex): void {
  let expected = 0;
  const offsetAndLength = (offset: number, length: number): void => {
    w.varint(zigzag(offset - expected));
    w.varint(length);
    expected = offset + length;
  };
  if (level.kind === 'inline') {
    w.u8(0);
    level.offsets.forEach((offset, k) => {
      offsetAndLength(offset, level.lengths[k]!);
    });
    return;
  }
  w.u8(1);
  level.bodyOffsets.forEach((offset, packet) => {
    w.varint(level.headerLengths[packet]!);
    offsetAndLength(offset, level.bodyLengths[packet]!);
  });
  w.block(level.headers);
}

function readLevel(r: ByteReader, precincts: number, layers: number, codestreamLength: number): LevelIndex {
  let expected = 0;
  const offsetAndLength = (into: Uint32Array, lengths: Uint32Array, at: number): void => {
    const offset = expected + unzigzag(r.varint());
    const length = r.varint();
    if (offset < 0 || offset + length > codestreamLength) throw malformed('A packet of the sidecar lies outside the codestream.');
    into[at] = offset;
    lengths[at] = length;
    expected = offset + length;
  };
  if (r.u8() === 0) {
    const offsets = new Uint32Array(precincts);
    const lengths = new Uint32Array(precincts);
    for (let k = 0; k < precincts; k++) offsetAndLength(offsets, lengths, k);
    return { kind: 'inline', offsets, lengths };
  }
  const packets = precincts * layers;
  const headerLengths = new Uint32Array(packets);
  const bodyOffsets = new Uint32Array(packets);
  const bodyLengths = new Uint32Array(packets);
  for (let packet = 0; packet < packets; packet++) {
    headerLengths[packet] = r.varint();
    offsetAndLength(bodyOffsets, bodyLengths, packet);
  }
  const headers = r.take(r.varint());
  if (headers.length !== headerLengths.reduce((sum, length) => sum + length, 0))
    throw malformed('The packet headers of the sidecar have another length than it states.');
  return {
    kind: 'packed',
    headerLengths,
    bodyOffsets,
    bodyLengths,
    headerStarts: headerStartsOf(headerLengths, layers),
    headers,
  };
}

export function encodeSidecar(index: Jp2Index): Uint8Array {
  const w = new ByteWriter();
  w.put(MAGIC);
  w.u8(SIDECAR_VERSION);
  for (const value of [index.fileLength, index.codestreamOffset, index.codestreamLength, index.xmlOffset, index.xmlLength])
    w.varint(value);
  w.block(index.header ?? new Uint8Array(0));
  w.block(index.palette ?? new Uint8Array(0));
  w.block(index.mainHeader);
  w.varint(index.tiles.length);
  for (const tile of index.tiles) {
    w.varint(tile.number);
    w.block(tile.segments);
    for (const levels of tile.levels) for (const level of levels) writeLevel(w, level);
  }
  return w.finish();
}

/** Largest file that the 32-bit offsets of the packet index can address. */
const MAX_FILE_LENGTH = 0xffffffff;

function readParts(r: ByteReader): FileLayout {
  if (MAGIC.some((byte) => r.u8() !== byte)) throw malformed('These bytes are not an image sidecar.');
  const version = r.u8();
  if (version !== SIDECAR_VERSION) throw malformed(`The sidecar has version ${version} instead of ${SIDECAR_VERSION}.`);
  const fileLength = r.varint();
  const part = () => {
    const [offset, length] = [r.varint(), r.varint()];
    if (fileLength > MAX_FILE_LENGTH || offset + length > fileLength)
      throw malformed('The sidecar states a part outside the file.');
    return [offset, length] as const;
  };
  const [[codestreamOffset, codestreamLength], [xmlOffset, xmlLength]] = [part(), part()];
  const header = r.take(r.varint());
  return { fileLength, codestreamOffset, codestreamLength, xmlOffset, xmlLength, header: header.length ? header : null };
}

/** Layout of a file and Rsiz of its codestream (15444-1, table A.10), without the packet index. @throws Jp2Error as `decodeSidecar` */
export function decodeFileLayout(bytes: Uint8Array): FileLayout & { readonly rsiz: number } {
  const r = new ByteReader(bytes, 'sidecar');
  const parts = readParts(r);
  r.take(r.varint());
  const mainHeader = new ByteReader(r.take(r.varint()), 'main header');
  mainHeader.take(RSIZ_OFFSET);
  return { ...parts, rsiz: mainHeader.u16() };
}

/** Reads a sidecar. @throws Jp2Error (malformed) when it is damaged or of another version */
export function decodeSidecar(bytes: Uint8Array): Jp2Index {
  const r = new ByteReader(bytes, 'sidecar');
  const parts = readParts(r);
  const palette = r.take(r.varint());
  if (palette.length !== 0 && palette.length !== 256 * 3)
    throw malformed(`The palette of the sidecar has ${palette.length} bytes instead of 768.`);
  const mainHeader = r.take(r.varint());
  const main = parseMainHeader(mainHeader);
  const { size } = main;
  const tiles: TileIndex[] = [];
  const tileCount = r.varint();
  if (tileCount !== size.tilesAcross * size.tilesDown)
    throw malformed(`The sidecar has ${tileCount} tiles instead of ${size.tilesAcross * size.tilesDown}.`);
  const budget = new WorkBudget();
  for (let tile = 0; tile < tileCount; tile++) {
    const number = r.varint();
    if (number !== tile) throw malformed(`The sidecar has tile ${number} instead of tile ${tile}.`);
    const segments = r.take(r.varint());
    const { parameters, components } = budget.openTile(main, number, parseTileSegments(segments, size.components.length));
    const levels = components.map((tc) =>
      tc.resolutions.map((level) =>
        readLevel(r, level.precinctsAcross * level.precinctsDown, parameters.layers, parts.codestreamLength),
      ),
    );
    tiles.push({ number, segments, parameters, components, levels });
  }
  return { ...parts, palette: palette.length ? palette : null, size, mainHeader, tiles };
}

/**
 * Indexes a whole JP2 file or a bare codestream: headers, palette, and the position of every packet. `isStrict`: as of `indexPackets`.
 * @throws Jp2Error when it is malformed, truncated, too large, or uses an unsupported feature
 */
export function indexJp2(bytes: Uint8Array, isStrict = false): Jp2Index {
  const { codestream, xml, header, palette } = readBoxes(bytes);
  const stream = bytes.subarray(codestream.start, codestream.end);
  const headers = parseCodestream(stream);
  const { tiles, length } = indexPackets(headers, stream, isStrict);
  return {
    fileLength: bytes.length,
    codestreamOffset: codestream.start,
    codestreamLength: length,
    xmlOffset: xml?.start ?? 0,
    xmlLength: xml ? xml.end - xml.start : 0,
    header,
    palette,
    size: headers.size,
    mainHeader: headers.mainHeader,
    tiles,
  };
}
