// Access of movie workers to the archive: images and sidecars only.
import { badParameter, Failure } from '../../domain/errors.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import { isArchiveKey, isHeadKey, isSidecarKey } from '../../storage/keys.ts';
import { parsedHead } from '../rendering/coefficient-making.ts';

interface Range {
  readonly offset: number;
  readonly length: number;
}

const SIDECAR_TYPE = 'application/octet-stream';

/**
 * An object, or the part of a range that it has; null when it does not exist.
 * @throws Failure `unknown-path` for keys of other objects, `unsatisfiable-range` for a range behind the end
 */
export async function openArchiveObject(objects: Pick<ObjectStore, 'stream' | 'head'>, key: string, range: Range | null) {
  if (!isArchiveKey(key)) throw new Failure('unknown-path', 'Movie workers can read images and sidecars only.');
  if (!range) return objects.stream(key);
  try {
    return await objects.stream(key, range);
  } catch (error) {
    // Object stores report a range behind the end in different ways.
    const object = await objects.head(key);
    if (!object || range.offset < object.size) throw error;
    const sentence = `Expected a range of the ${object.size} bytes for Range, got bytes=${range.offset}-.`;
    throw new Failure('unsatisfiable-range', sentence, { parameter: 'Range', sizeBytes: object.size });
  }
}

/** @throws Failure `unknown-path` for keys of other objects, `bad-parameter` for a body that is not part A of a coefficient sidecar */
export async function putSidecar(objects: Pick<ObjectStore, 'put'>, key: string, sidecar: Uint8Array): Promise<void> {
  if (isHeadKey(key)) {
    if (!parsedHead(sidecar)) throw badParameter('body', 'part A of a coefficient sidecar', 'other bytes');
  } else if (!isSidecarKey(key)) throw new Failure('unknown-path', 'Movie workers can write sidecars only.');
  await objects.put(key, sidecar, SIDECAR_TYPE);
}
