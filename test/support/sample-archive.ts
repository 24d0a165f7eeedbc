// Sample images in memory, with renderers over them.
import { createHash } from 'node:crypto';
import { archivePath } from '../../demo/image-file.ts';
import type { Shot } from '../../demo/instruments/instrument.ts';
import { FrameRenderer } from '../../src/archive/drawing/frame-renderer.ts';
import { LayerRenderer } from '../../src/archive/drawing/layer-renderer.ts';
import { inspectJp2 } from '../../src/archive/ingest/inspect-jp2.ts';
import { jp2Key, sidecarKey } from '../../src/archive/keys.ts';
import { ImageReader } from '../../src/archive/reading/image-reader.ts';
import { SIDECAR_VERSION } from '../../src/jp2/sidecar.ts';
import { parseXmlHeader } from '../../src/jp2/xml-header.ts';
import { identifySource } from '../../src/sun/catalogue/identify.ts';
import { findSource } from '../../src/sun/catalogue/sources.ts';
import { imageGeometry } from '../../src/sun/geometry.ts';
import type { ArchivedImage } from '../../src/sun/image.ts';
import { observationTime } from '../../src/sun/time.ts';
import { anyMemory } from './memory/any-memory.ts';
import { MemoryImageIndex } from './memory/image-index.ts';
import { MemoryObjectStore } from './memory/object-store.ts';
import { sampleFile } from './sample-files.ts';

export type SampleArchive = Awaited<ReturnType<typeof archiveOfFiles>>;

/** Row and sidecar of a file, as ingest would write them. */
export async function describeFile(jp2: Uint8Array, id: number, path: string) {
  const { xml, sidecar } = await inspectJp2(jp2);
  const header = parseXmlHeader(xml);
  if (!header) throw new Error(`Expected an XML header in ${path}.`);
  const [folder, fileName] = [path.slice(0, path.lastIndexOf('/')), path.slice(path.lastIndexOf('/') + 1)];
  const identified = identifySource(header, fileName);
  const takenAtMs = observationTime(header.fits);
  if ('refusal' in identified || takenAtMs === null) throw new Error(`Expected a known source and a date in ${path}.`);
  const geometry = imageGeometry(header.fits, findSource(identified.sourceId)!);
  const key = jp2Key(folder, fileName);
  const sha256 = createHash('sha256').update(jp2).digest('hex');
  const { sourceId } = identified;
  const image: ArchivedImage = { id, sourceId, takenAtMs, fileName, key, byteLength: jp2.length, sha256, geometry };
  return { image, sidecar };
}

/** An archive of these files, ids counted from 1. `path`: as in the archive, from the instrument on. */
export async function archiveOfFiles(files: readonly { path: string; jp2: Uint8Array }[]) {
  const objects = new MemoryObjectStore();
  const images: ArchivedImage[] = [];
  for (const [i, { path, jp2 }] of files.entries()) {
    const { image, sidecar } = await describeFile(jp2, i + 1, path);
    await objects.put(image.key, jp2);
    await objects.put(sidecarKey(image.key, SIDECAR_VERSION), sidecar);
    images.push(image);
  }
  const layers = new LayerRenderer(new ImageReader({ objects, memory: anyMemory() }));
  return { images, index: new MemoryImageIndex(images), objects, layers, frames: new FrameRenderer({ layers }) };
}

/** An archive of these shots, ids counted from 1. */
export async function sampleArchive(shots: readonly Shot[]): Promise<SampleArchive> {
  return archiveOfFiles(await Promise.all(shots.map(async (shot) => ({ path: archivePath(shot), jp2: await sampleFile(shot) }))));
}
