// Targets of JPIP requests, by public path: an archived image, or a JPX movie.
import { JPIP } from '../../config/limits/jpx.ts';
import { CACHE_WORTH_MS } from '../../config/limits/memory.ts';
import { Failure } from '../../domain/errors.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import type { ByteSource } from '../../imaging/byte-source.ts';
import type { Jp2Index } from '../../imaging/jp2/sidecar.ts';
import type { ImageIndex } from '../../ports/images.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import { sha256Hex } from '../../util/digest.ts';
import type { MemoryBudget } from '../../util/memory-budget.ts';
import type { MemoryCache } from '../../util/memory-cache.ts';
import { imageByPath, type PathIndex } from '../images/find-image.ts';
import { type JpxManifest, openManifest } from '../jpx/jpx-manifest.ts';
import { jp2Metadata, jpxMetadata } from './metadata.ts';

export interface JpipTarget {
  /** Identifies the target; a channel is bound to one. */
  readonly name: string;
  /** Changes with the content (JPIP-tid). */
  readonly tid: string;
  /** Object key of the JP2 of each codestream. */
  readonly keys: readonly string[];
  /** Metadata-bin 0. */
  metadata(): Promise<ByteSource[]>;
}

export interface TargetPorts {
  readonly index: PathIndex & Pick<ImageIndex, 'withdrawn'>;
  readonly objects: Pick<ObjectStore, 'read' | 'readAll'>;
  /** The sidecar of an archived JP2. */
  readonly openIndex: (key: string) => Promise<Jp2Index>;
  readonly memory: MemoryBudget;
}

const MOVIE = /^movies\/([^/]+)\.jpx$/;
const TID_CHARACTERS = 32;

function imageTarget({ key, sha256 }: ArchivedImage, ports: TargetPorts): JpipTarget {
  const metadata = async () => jp2Metadata(ports.objects, key, await ports.openIndex(key));
  return { name: key, tid: sha256.slice(0, TID_CHARACTERS), keys: [key], metadata };
}

async function movieTarget(manifest: JpxManifest, path: string): Promise<JpipTarget> {
  const tid = (await sha256Hex(JSON.stringify(manifest))).slice(0, TID_CHARACTERS);
  // Cached, because the layout of a thousand frames takes 40 ms.
  let sources: ByteSource[] | undefined;
  const metadata = async () => {
    sources ??= jpxMetadata(manifest);
    return sources;
  };
  return { name: path, tid, keys: manifest.frames.map(({ key }) => key), metadata };
}

/** Targets by path, recent ones cached: a client sends a request per frame, and a path never changes its meaning. */
export class JpipTargets {
  readonly #ports: TargetPorts;
  readonly #kept: MemoryCache<string, JpipTarget>;

  constructor(ports: TargetPorts) {
    this.#ports = ports;
    this.#kept = ports.memory.cache({
      bytesOf: ({ keys }) => JPIP.codestreamBytes * keys.length,
      worthMs: CACHE_WORTH_MS.jpipTarget,
    });
  }

  /**
   * Finds a target. `path`: percent-decoded, without a leading slash.
   *
   * @throws Failure (unknown-path, withdrawn)
   */
  async find(path: string): Promise<JpipTarget> {
    const target = this.#kept.get(path) ?? (await this.#movie(path)) ?? (await this.#image(path));
    if (!target) throw new Failure('unknown-path', 'No image or JPX movie has this path.');
    this.#kept.set(path, target);
    return target;
  }

  /** Forgets a target, so that the next `find` reads the archive. */
  forget(path: string): void {
    this.#kept.delete(path);
  }

  async #movie(path: string): Promise<JpipTarget | null> {
    const name = MOVIE.exec(path)?.[1];
    const manifest = name === undefined ? null : await openManifest(this.#ports, name);
    return manifest && movieTarget(manifest, path);
  }

  async #image(path: string): Promise<JpipTarget | null> {
    const image = path.endsWith('.jp2') ? await imageByPath(this.#ports.index, path) : null;
    return image && imageTarget(image, this.#ports);
  }
}
