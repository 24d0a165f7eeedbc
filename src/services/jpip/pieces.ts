// Bytes that are at hand or in an object, cut and read in turns.
import { Failure } from '../../domain/errors.ts';
import { coalesce } from '../../imaging/jp2/window.ts';
import type { ObjectStore } from '../../ports/objects.ts';

/** Bytes [offset, offset + length) of an object. */
export interface ObjectPiece {
  readonly key: string;
  readonly offset: number;
  readonly length: number;
}

export type Piece = Uint8Array | ObjectPiece;

/** Gaps up to this are read along: a request costs more than these bytes. */
const GAP_BYTES = 16 << 10;

/** Reads for one turn and object at most. */
const MOST_READS = 24;

const NOTHING = new Uint8Array(0);

export const lengthOf = (pieces: readonly Piece[]): number => pieces.reduce((sum, piece) => sum + piece.length, 0);

/** Bytes [from, to) of pieces in a row. */
export function cut(pieces: readonly Piece[], from: number, to: number): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  for (const piece of pieces) {
    const [start, end] = [Math.max(0, from - at), Math.min(piece.length, to - at)];
    at += piece.length;
    if (start >= end) continue;
    found.push(
      piece instanceof Uint8Array ? piece.subarray(start, end) : { ...piece, offset: piece.offset + start, length: end - start },
    );
  }
  return found;
}

interface Chunk {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

async function readChunk(objects: Pick<ObjectStore, 'read'>, key: string, offset: number, length: number): Promise<Chunk> {
  const bytes = await objects.read(key, offset, length);
  if (!bytes) throw new Failure('missing-file', 'The file of this image is missing from the archive.');
  return { offset, bytes };
}

/** The bytes of every list of pieces. Close ranges of an object are read as one. */
export async function readPieces(
  objects: Pick<ObjectStore, 'read'>,
  lists: readonly (readonly Piece[])[],
): Promise<Uint8Array[][]> {
  const stored = lists.flat().filter((piece): piece is ObjectPiece => !(piece instanceof Uint8Array));
  const wanted = Map.groupBy(stored, ({ key }) => key);
  const chunks = new Map<string, Chunk[]>();
  const reads = [...wanted].map(async ([key, pieces]) => {
    const ranges = coalesce(pieces, GAP_BYTES, MOST_READS);
    chunks.set(key, await Promise.all(ranges.map(({ offset, length }) => readChunk(objects, key, offset, length))));
  });
  await Promise.all(reads);
  const bytesOf = (piece: Piece): Uint8Array => {
    if (piece instanceof Uint8Array) return piece;
    if (piece.length === 0) return NOTHING;
    const { key, offset, length } = piece;
    const chunk = chunks.get(key)?.find((c) => c.offset <= offset && offset + length <= c.offset + c.bytes.length) as Chunk;
    return chunk.bytes.subarray(offset - chunk.offset, offset - chunk.offset + length);
  };
  return lists.map((pieces) => pieces.map(bytesOf));
}
