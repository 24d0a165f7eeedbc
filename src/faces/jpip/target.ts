// Targets of JPIP requests, by public path: an image, or a JPX movie. Their metadata-bin is generated, and read from the JP2 files.
import { imageByPath, type PathIndex } from '../../archive/find-image.ts';
import type { ImageIndex } from '../../archive/image-index/d1-image-index.ts';
import { BOX_HEADER_BYTES, LONG_BOX_HEADER_BYTES } from '../../jp2/boxes.ts';
import { SourceSequence } from '../../jp2/byte-source.ts';
import { metadataSources, placeholderBox } from '../../jp2/jpip/metadata-bin.ts';
import { jpxLayout } from '../../jp2/jpx/layout.ts';
import type { Jp2Index } from '../../jp2/sidecar.ts';
import { JPIP } from '../../platform/limits/jpx.ts';
import { CACHE_WORTH_MS } from '../../platform/limits/memory.ts';
import type { ObjectStore } from '../../platform/storage/r2-object-store.ts';
import { sha256Hex } from '../../platform/util/bytes.ts';
import { Failure, present } from '../../platform/util/errors.ts';
import type { MemoryBudget } from '../../platform/util/memory-budget.ts';
import { Service } from '../../platform/util/service.ts';
import { checkFrames, framesOf, framesWithMetadata, isLong, type JpxParts, openManifest } from '../jpx/jpx-manifest.ts';
import type { ChannelTarget } from './jpip-channel.ts';

export interface JpipTarget extends ChannelTarget {
  /** Object key of the JP2 of each codestream. */
  readonly keys: readonly string[];
  /** Metadata-bin 0. */
  metadata(ports: TargetPorts): Promise<SourceSequence>;
}

export interface TargetPorts {
  readonly index: PathIndex & Pick<ImageIndex, 'withdrawn'>;
  readonly objects: Pick<ObjectStore, 'head' | 'read' | 'readAll' | 'put'>;
  readonly parts: JpxParts;
  /** The sidecar of an archived JP2, from `objects` where the isolate does not have it. */
  readonly openIndex: (key: string, objects: Pick<ObjectStore, 'readAll' | 'put'>) => Promise<Jp2Index>;
}

const MOVIE = /^movies\/([^/]+)\.jpx$/;
const TID_CHARACTERS = 32;

const JP2C = new TextEncoder().encode('jp2c');

/** The header of the jp2c box that ends at `end`; empty without one, as in bare codestreams and files with broken box lengths. */
async function codestreamHeader(objects: Pick<ObjectStore, 'read'>, key: string, end: number): Promise<Uint8Array> {
  const length = Math.min(LONG_BOX_HEADER_BYTES, end);
  const bytes = present(await objects.read(key, end - length, length), key);
  for (const size of [BOX_HEADER_BYTES, LONG_BOX_HEADER_BYTES]) {
    const header = bytes.subarray(bytes.length - size);
    if (header.length === size && JP2C.every((byte, i) => header[4 + i] === byte)) return header;
  }
  return new Uint8Array(0);
}

/** An image, whose metadata-bin 0 is its JP2 file with a placeholder instead of the codestream. */
async function imageAt(path: string, { index }: TargetPorts): Promise<JpipTarget | null> {
  const image = path.endsWith('.jp2') ? await imageByPath(index, path) : null;
  if (!image) return null;
  const { key, sha256 } = image;
  const metadata: JpipTarget['metadata'] = async ({ objects, openIndex }) => {
    const { codestreamOffset, codestreamLength, fileLength } = await openIndex(key, objects);
    const found = await codestreamHeader(objects, key, codestreamOffset);
    // A codestream without a box reaches to the end of the file, which LBox = 0 states.
    const header = found.length ? found : Uint8Array.of(0, 0, 0, 0, ...JP2C);
    const end = codestreamOffset + codestreamLength;
    return new SourceSequence([
      { key, offset: 0, length: codestreamOffset - found.length },
      placeholderBox(header, 0),
      { key, offset: end, length: fileLength - end },
    ]);
  };
  return { name: key, tid: sha256.slice(0, TID_CHARACTERS), keys: [key], metadata };
}

async function movieAt(path: string, ports: TargetPorts): Promise<JpipTarget | null> {
  const name = MOVIE.exec(path)?.[1];
  const manifest = name === undefined ? null : await openManifest(ports, name);
  if (!manifest) return null;
  const tid = (await sha256Hex(JSON.stringify(manifest))).slice(0, TID_CHARACTERS);
  const hasParts = isLong(manifest.frames);
  const stored = hasParts ? null : await framesWithMetadata(ports, manifest);
  // Cached, because the layout of a thousand frames takes 40 ms.
  let sources: SourceSequence | undefined;
  const metadata: JpipTarget['metadata'] = async (own) => {
    // The stored metadata outlives the files of withdrawn images.
    if (stored || hasParts) await checkFrames(own.index, manifest);
    if (sources) return sources;
    const frames = stored ?? (hasParts ? await framesWithMetadata(own, manifest) : null) ?? framesOf(manifest);
    sources = new SourceSequence(metadataSources(jpxLayout(frames, manifest).sources));
    return sources;
  };
  return { name: path, tid, keys: manifest.frames.map(({ key }) => key), metadata };
}

/** Targets by path, recent ones cached: a client sends a request per frame, and a path never changes its meaning. */
export class JpipTargets extends Service<TargetPorts & { readonly memory: MemoryBudget }> {
  readonly #kept = this.ports.memory.cache<string, JpipTarget>({
    bytesOf: ({ keys }) => JPIP.codestreamBytes * keys.length,
    worthMs: CACHE_WORTH_MS.jpipTarget,
  });

  /** A target by its percent-decoded path. @param ports Those that charge the client @throws Failure `unknown-path`, `withdrawn`, or of `ports` */
  async find(path: string, ports: TargetPorts = this.ports): Promise<JpipTarget> {
    const target = this.#kept.get(path) ?? (await movieAt(path, ports)) ?? (await imageAt(path, ports));
    if (!target) throw new Failure('unknown-path', 'No image or JPX movie has this path.');
    this.#kept.set(path, target);
    return target;
  }

  forget(path: string): void {
    this.#kept.delete(path);
  }
}
