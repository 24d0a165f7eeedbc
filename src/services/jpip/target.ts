// What a JPIP request is about: an image of the archive or a movie of several, found by its public path.
import { Failure } from '../../domain/errors.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import type { Jp2Index } from '../../imaging/jp2/sidecar.ts';
import type { ImageIndex, ObjectStore } from '../../ports.ts';
import { jp2Key } from '../../storage/keys.ts';
import { jp2Metadata } from './metadata.ts';
import type { Piece } from './pieces.ts';

export interface JpipTarget {
  /** Names the target; a channel belongs to one. */
  readonly name: string;
  /** Changes with the content (JPIP-tid). */
  readonly tid: string;
  /** Object key of the JP2 of each codestream. */
  readonly keys: readonly string[];
  /** Metadata-bin 0. */
  metadata(): Promise<Piece[]>;
}

export interface TargetPorts {
  readonly index: Pick<ImageIndex, 'byFileName'>;
  readonly objects: Pick<ObjectStore, 'read'>;
  /** The sidecar of an archived JP2. */
  readonly openIndex: (key: string) => Promise<Jp2Index>;
}

const TID_CHARACTERS = 32;
const unknown = () => new Failure('unknown-path', 'Expected the path of an image or a JPX movie, got one of nothing here.');

function imageTarget(image: ArchivedImage, ports: TargetPorts): JpipTarget {
  const metadata = async () => jp2Metadata(ports.objects, image.key, await ports.openIndex(image.key));
  return { name: image.key, tid: image.sha256.slice(0, TID_CHARACTERS), keys: [image.key], metadata };
}

/** `path`: decoded, without a slash in front. @throws Failure (unknown-path) for everything that is no target. */
export async function findTarget(path: string, ports: TargetPorts): Promise<JpipTarget> {
  const at = path.lastIndexOf('/');
  const image = path.endsWith('.jp2') ? await ports.index.byFileName(path.slice(at + 1)) : null;
  // The path is compared and never made into a key.
  if (!image || image.key !== jp2Key(path.slice(0, Math.max(0, at)), path.slice(at + 1))) throw unknown();
  return imageTarget(image, ports);
}
