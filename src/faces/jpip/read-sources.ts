// Reads byte sources with few requests to the object store.

import type { ByteSource, ObjectRange } from '../../jp2/byte-source.ts';
import type { Chunk } from '../../jp2/codestream-blocks.ts';
import { RANGE_GAP_BYTES } from '../../jp2/limits.ts';
import { coalesce } from '../../jp2/window.ts';
import type { ObjectStore } from '../../platform/storage/r2-object-store.ts';
import { missingFile } from '../../platform/util/errors.ts';

/** Reads per call and object. */
const MAX_READS = 24;

const NOTHING = new Uint8Array(0);

async function readChunk(objects: Pick<ObjectStore, 'read'>, key: string, offset: number, length: number): Promise<Chunk> {
  const bytes = await objects.read(key, offset, length);
  if (!bytes) throw missingFile(key);
  return { offset, bytes };
}

/** The bytes of every source, list by list. Nearby ranges of an object are read as one. @throws Failure (missing-file) */
export async function readSources(objects: Pick<ObjectStore, 'read'>, lists: readonly (readonly ByteSource[])[]) {
  const stored = lists.flat().filter((source): source is ObjectRange => !(source instanceof Uint8Array));
  const chunks = new Map<string, Chunk[]>();
  const reads = [...Map.groupBy(stored, ({ key }) => key)].map(async ([key, sources]) => {
    const ranges = coalesce(sources, RANGE_GAP_BYTES, MAX_READS);
    chunks.set(key, await Promise.all(ranges.map(({ offset, length }) => readChunk(objects, key, offset, length))));
  });
  await Promise.all(reads);
  const bytesOf = (source: ByteSource): Uint8Array => {
    if (source instanceof Uint8Array) return source;
    const { key, offset, length } = source;
    if (length === 0) return NOTHING;
    const chunk = chunks.get(key)?.find((c) => c.offset <= offset && offset + length <= c.offset + c.bytes.length) as Chunk;
    return chunk.bytes.subarray(offset - chunk.offset, offset - chunk.offset + length);
  };
  return lists.map((sources) => sources.map(bytesOf));
}
