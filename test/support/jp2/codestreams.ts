// Hand-made codestreams, and codestreams changed in one place.

const u16 = (value: number): number[] => [(value >> 8) & 0xff, value & 0xff];
const u32 = (value: number): number[] => [...u16(value >>> 16), ...u16(value & 0xffff)];

/** A marker segment with its length. */
export const segment = (marker: number, content: readonly number[]): number[] => [
  ...u16(marker),
  ...u16(content.length + 2),
  ...content,
];

export interface HandMade {
  readonly width: number;
  readonly height: number;
  readonly components?: number;
  /** XRsiz and YRsiz of all components. */
  readonly sampling?: number;
  readonly precision?: number;
  readonly capabilities?: number;
  readonly origin?: number;
  readonly tile?: number;
  readonly levels?: number;
  readonly layers?: number;
  readonly order?: number;
  readonly mct?: number;
  readonly blockStyle?: number;
  /** log2 of the side of code-blocks. */
  readonly block?: number;
  /** log2 of the side of precincts at every level. */
  readonly precinct?: number;
  readonly more?: readonly number[];
  readonly packets?: readonly number[];
}

/** One tile-part of a reversible image, up to the end of the codestream. */
export function handMade(parts: HandMade): Uint8Array {
  const { width, height, components = 1, sampling = 1, precision = 8, capabilities = 0, origin = 0, tile } = parts;
  const { levels = 0, layers = 1, order = 0, mct = 0, blockStyle = 0, block = 6, precinct, more = [], packets = [] } = parts;
  const size = [origin + width, origin + height, origin, origin, tile ?? origin + width, tile ?? origin + height, 0, 0];
  const component = [precision - 1, sampling, sampling];
  const precincts = precinct === undefined ? [] : Array.from({ length: levels + 1 }, () => precinct * 17);
  return Uint8Array.from([
    ...u16(0xff4f),
    ...segment(0xff51, [
      ...u16(capabilities),
      ...size.flatMap(u32),
      ...u16(components),
      ...Array(components).fill(component).flat(),
    ]),
    ...segment(0xff52, [
      precincts.length ? 1 : 0,
      order,
      ...u16(layers),
      mct,
      levels,
      block - 2,
      block - 2,
      blockStyle,
      1,
      ...precincts,
    ]),
    ...segment(0xff5c, [0x40, ...Array.from({ length: 3 * levels + 1 }, () => 10 << 3)]),
    ...more,
    ...segment(0xff90, [0, 0, 0, 0, 0, 0, 0, 1]),
    ...u16(0xff93),
    ...packets,
    ...u16(0xffd9),
  ]);
}

/** Offset of the first `marker` in a codestream. */
export function findMarker(stream: Uint8Array, marker: number): number {
  const at = Buffer.from(stream).indexOf(Buffer.from(u16(marker)));
  if (at < 0) throw new Error(`Expected marker ${marker.toString(16)} in the codestream, got none.`);
  return at;
}

/** A copy with `bytes` written at `at`. */
export function overwrite(stream: Uint8Array, at: number, ...bytes: number[]): Uint8Array {
  const copy = stream.slice();
  copy.set(bytes, at);
  return copy;
}

/** Packets of a codestream of one tile-part that was coded with SOP and EPH. */
function splitPackets(stream: Uint8Array): { from: number; headers: number[][]; bodies: number[][] } {
  const from = findMarker(stream, 0xff93) + 2;
  const bytes = Buffer.from(stream.subarray(from, stream.length - 2));
  const headers: number[][] = [];
  const bodies: number[][] = [];
  for (let at = 0; at < bytes.length; ) {
    const header = bytes.indexOf(Buffer.from([0xff, 0x92]), at) + 2;
    const next = bytes.indexOf(Buffer.from([0xff, 0x91, 0, 4]), at + 6);
    headers.push([...bytes.subarray(at + 6, header)]);
    bodies.push([...bytes.subarray(at, at + 6), ...bytes.subarray(header, next < 0 ? bytes.length : next)]);
    at = next < 0 ? bytes.length : next;
  }
  return { from, headers, bodies };
}

/** Moves the packet headers of a codestream with SOP and EPH to PPM or PPT marker segments of at most `most` bytes. */
export function packHeaders(stream: Uint8Array, where: 'PPM' | 'PPT', most: number): Uint8Array {
  const { from, headers, bodies } = splitPackets(stream);
  const tilePart = findMarker(stream, 0xff90);
  const data = headers.flat();
  const packed = where === 'PPM' ? [...u32(data.length), ...data] : data;
  const segments: number[] = [];
  for (let i = 0; i * most < packed.length; i++)
    segments.push(...segment(where === 'PPM' ? 0xff60 : 0xff61, [i, ...packed.slice(i * most, (i + 1) * most)]));
  const main = [...stream.subarray(0, tilePart)];
  const tileHeader = [...stream.subarray(tilePart, from - 2)];
  tileHeader.splice(6, 4, 0, 0, 0, 0);
  const [inMain, inTile] = where === 'PPM' ? [segments, []] : [[], segments];
  return Uint8Array.from([...main, ...inMain, ...tileHeader, ...inTile, 0xff, 0x93, ...bodies.flat(), 0xff, 0xd9]);
}
