// Rebuilds a codestream from the data-bins of a JPIP client, for any decoder. Written from ISO/IEC 15444-1 Annexes
// A and B alone, independently of the server. Incomplete precincts become empty packets.
import type { BinCache } from './jpip-stream.ts';

const [SIZ, COD, RPCL] = [0xff51, 0xff52, 2];
const PRECINCT_CLASS = 0;
const TILE_CLASS = 2;
const HEADER_CLASS = 6;

type Geometry = ReturnType<typeof readHeader>;

function readHeader(header: Uint8Array) {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  const segments = new Map<number, number>();
  for (let at = 2; at + 4 <= header.length; at += 2 + view.getUint16(at + 2)) segments.set(view.getUint16(at), at + 4);
  const siz = segments.get(SIZ) as number;
  const cod = segments.get(COD) as number;
  const u32 = (at: number): number => view.getUint32(siz + at);
  const components = view.getUint16(siz + 34);
  for (let c = 0; c < components; c++)
    if (view.getUint8(siz + 37 + 3 * c) !== 1 || view.getUint8(siz + 38 + 3 * c) !== 1) throw new Error('subsampled components');
  const style = view.getUint8(cod);
  /** log2 width and height of the precincts of a resolution level. */
  const precinct = (level: number): readonly [number, number] => {
    const size = style & 1 ? view.getUint8(cod + 10 + level) : 0xff;
    return [size & 15, size >> 4];
  };
  return {
    x1: u32(2),
    y1: u32(6),
    x0: u32(10),
    y0: u32(14),
    tileWidth: u32(18),
    tileHeight: u32(22),
    tileX0: u32(26),
    tileY0: u32(30),
    components,
    layers: view.getUint16(cod + 2),
    levels: view.getUint8(cod + 5),
    eph: (style & 4) !== 0,
    precinct,
    /** Where COD has its progression order. */
    orderAt: cod + 1,
  };
}

const ceilShift = (value: number, shift: number): number => Math.ceil(value / 2 ** shift);

/** Precincts of each resolution level of one tile. */
function precinctCounts(g: Geometry, tile: number, across: number): number[] {
  const left = g.tileX0 + (tile % across) * g.tileWidth;
  const top = g.tileY0 + Math.floor(tile / across) * g.tileHeight;
  const x: [number, number] = [Math.max(left, g.x0), Math.min(left + g.tileWidth, g.x1)];
  const y: [number, number] = [Math.max(top, g.y0), Math.min(top + g.tileHeight, g.y1)];
  const count = ([from, to]: [number, number], shift: number, precinct: number): number => {
    const [a, b] = [ceilShift(from, shift), ceilShift(to, shift)];
    return b > a ? ceilShift(b, precinct) - Math.floor(a / 2 ** precinct) : 0;
  };
  return Array.from({ length: g.levels + 1 }, (_, level) => {
    const [width, height] = g.precinct(level);
    return count(x, g.levels - level, width) * count(y, g.levels - level, height);
  });
}

/** The bare codestream of the data-bins in `cache`. @throws Error when the main header is missing */
export function rebuildCodestream(cache: BinCache, codestream: number): Uint8Array {
  const main = cache.bin(HEADER_CLASS, codestream, 0);
  if (!main?.complete) throw new Error(`no main header of codestream ${codestream}`);
  const header = Buffer.from(main.bytes);
  const g = readHeader(header);
  header[g.orderAt] = RPCL;
  const across = Math.ceil((g.x1 - g.tileX0) / g.tileWidth);
  const tiles = across * Math.ceil((g.y1 - g.tileY0) / g.tileHeight);
  const emptyPacket = Buffer.from(g.eph ? [0, 0xff, 0x92] : [0]);
  const missing = Buffer.concat(Array.from({ length: g.layers }, () => emptyPacket));
  const parts: Uint8Array[] = [header];
  for (let tile = 0; tile < tiles; tile++) {
    const packets: Uint8Array[] = [];
    let first = 0;
    for (const count of precinctCounts(g, tile, across)) {
      for (let k = 0; k < count; k++)
        for (let c = 0; c < g.components; c++) {
          const bin = cache.bin(PRECINCT_CLASS, codestream, tile + (c + (first + k) * g.components) * tiles);
          packets.push(bin?.complete ? bin.bytes : missing);
        }
      first += count;
    }
    const segments = cache.bin(TILE_CLASS, codestream, tile);
    const body = Buffer.concat(packets);
    const start = Buffer.alloc(12);
    start.writeUInt32BE(0xff90000a);
    start.writeUInt16BE(tile, 4);
    start.writeUInt32BE(14 + (segments?.bytes.length ?? 0) + body.length, 6);
    start[11] = 1;
    parts.push(start, segments?.bytes ?? new Uint8Array(0), Uint8Array.of(0xff, 0x93), body);
  }
  return Buffer.concat([...parts, Uint8Array.of(0xff, 0xd9)]);
}
