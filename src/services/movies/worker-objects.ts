// The archive as movie workers see it: images and sidecars, nothing else.
import { Failure } from '../../domain/errors.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import { isArchiveKey, isSidecarKey } from '../../storage/keys.ts';

interface Range {
  readonly offset: number;
  readonly length: number;
}

const SIDECAR_TYPE = 'application/octet-stream';

/**
 * The object, or as much of the range as there is; null when there is no such object.
 * @throws Failure `unknown-path` for keys that are none of theirs, RangeError for a range behind the end
 */
export async function openArchiveObject(objects: Pick<ObjectStore, 'stream' | 'head'>, key: string, range: Range | null) {
  if (!isArchiveKey(key)) throw new Failure('unknown-path', 'Expected the key of an image or a sidecar, got another.');
  if (!range) return objects.stream(key);
  try {
    return await objects.stream(key, range);
  } catch (error) {
    // Stores say in different ways that a range is behind the end.
    const object = error instanceof RangeError ? null : await objects.head(key);
    if (!object || range.offset < object.size) throw error;
    throw new RangeError(`Expected a range inside of ${object.size} bytes, got one from ${range.offset}.`);
  }
}

/** @throws Failure `unknown-path` for other keys than those of sidecars */
export async function putSidecar(objects: Pick<ObjectStore, 'put'>, key: string, sidecar: Uint8Array): Promise<void> {
  if (!isSidecarKey(key)) throw new Failure('unknown-path', 'Expected the key of a sidecar, got another.');
  await objects.put(key, sidecar, SIDECAR_TYPE);
}
