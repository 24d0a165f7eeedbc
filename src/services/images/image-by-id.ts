import { Failure } from '../../domain/errors.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import type { ImageIndex } from '../../ports/images.ts';
import type { Stopwatch } from '../../ports/timing.ts';

/** @throws Failure `unknown-image` */
export async function imageById(ports: { index: ImageIndex; stopwatch: Stopwatch }, id: number): Promise<ArchivedImage> {
  const image = await ports.stopwatch.measure('index', () => ports.index.byId(id));
  if (image) return image;
  throw new Failure('unknown-image', `Expected the id of an image for id, got ${id}.`, { parameter: 'id' });
}
