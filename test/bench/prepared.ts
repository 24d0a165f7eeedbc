// Archives in this process whose images have coefficient sidecars, and renderers of isolates that know nothing.
import { LayerRenderer } from '../../src/archive/drawing/layer-renderer.ts';
import { Coefficients } from '../../src/archive/reading/coefficients.ts';
import { ImageReader } from '../../src/archive/reading/image-reader.ts';
import type { Part } from '../../src/jp2/coefficients/format.ts';
import { anyMemory } from '../support/memory/any-memory.ts';
import type { SampleArchive } from '../support/sample-archive.ts';

type Stored = Pick<SampleArchive, 'images' | 'objects'>;

const coefficientsOf = ({ objects }: Pick<Stored, 'objects'>) =>
  new Coefficients({ objects, makes: [], log: () => undefined, memory: anyMemory() });

/** Makes parts of the coefficient sidecars of images, of all unless some are given. */
export async function makeParts(archive: Stored, parts: readonly Part[], images = archive.images): Promise<void> {
  const reader = new ImageReader({ objects: archive.objects, memory: anyMemory() });
  for (const image of images) await coefficientsOf(archive).make(image, await reader.openIndex(image.key), new Set(parts), false);
}

export const coldLayers = (archive: Pick<Stored, 'objects'>): LayerRenderer =>
  new LayerRenderer(new ImageReader({ objects: archive.objects, memory: anyMemory(), coefficients: coefficientsOf(archive) }));
