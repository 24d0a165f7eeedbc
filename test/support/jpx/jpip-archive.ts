// The JPIP service with one image in memory, or a linked JPX movie of copies of it.
import { archivePath } from '../../../src/archive/keys.ts';
import { ChannelIds, serveJpip } from '../../../src/faces/jpip/response.ts';
import { JpipTargets, type TargetPorts } from '../../../src/faces/jpip/target.ts';
import { jpxParts, recordJpx } from '../../../src/faces/jpx/jpx-manifest.ts';
import { parseJpipRequest } from '../../../src/jp2/jpip/request.ts';
import { indexJp2 } from '../../../src/jp2/sidecar.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { makeImage } from '../imaging/images.ts';
import { anyMemory } from '../memory/any-memory.ts';
import { callOf } from '../memory/call.ts';
import { MemoryChannels } from '../memory/channels.ts';
import { MemoryImageIndex } from '../memory/image-index.ts';
import { MemoryObjectStore } from '../memory/object-store.ts';

type JpipResponse = Awaited<ReturnType<typeof serveJpip>>;

export type JpipArchive = Awaited<ReturnType<typeof jpipArchive>>;

export async function bodyBytes({ body }: JpipResponse): Promise<Uint8Array> {
  return body instanceof Uint8Array ? body : new Uint8Array(await new Response(body as BodyInit).arrayBuffer());
}

async function recordedMovie(objects: MemoryObjectStore, images: readonly ArchivedImage[]): Promise<string> {
  const { name } = await recordJpx(objects, { name: 'movie', linked: true, style: 'standard', images });
  return `movies/${name}.jpx`;
}

/** `frames`: unset for the image itself. */
export async function jpipArchive(jp2: Uint8Array, frames?: number) {
  const images = Array.from({ length: frames ?? 1 }, (_, i) => {
    const fileName = frames === undefined ? 'image.jp2' : `image${i}.jp2`;
    return { id: i + 1, ...makeImage(10, i * 1000, { fileName, byteLength: jp2.length }) };
  });
  const objects = new MemoryObjectStore();
  for (const { key } of images) await objects.put(key, jp2);
  const index = indexJp2(jp2);
  const channels = new MemoryChannels();
  const memory = anyMemory();
  const ports = {
    objects,
    channels: channels.of,
    index: new MemoryImageIndex(images),
    openIndex: async (..._image: Parameters<TargetPorts['openIndex']>) => index,
    parts: jpxParts(objects),
    memory,
    channelIds: new ChannelIds({ secret: 'a-secret-of-tests', clock: Date.now }),
  };
  const services = { ...ports, targets: new JpipTargets(ports) };
  const path = frames === undefined ? archivePath(images[0]!.key) : await recordedMovie(objects, images);
  const ids = new Map<string, string>();
  /** The id of a channel that a test names by a letter. */
  const idOf = async (name: string): Promise<string> => {
    const id = ids.get(name) ?? (await ports.channelIds.next());
    ids.set(name, id);
    return id;
  };
  const named = async (query: string): Promise<string> => {
    for (const [, field, name] of query.matchAll(/\b(cid|cclose)=([a-z])(?=&|$)/g))
      query = query.replace(`${field}=${name}`, `${field}=${await idOf(name!)}`);
    return query;
  };
  /** Channels in the query may be named by a letter. */
  const request = async (query: string, target = path): Promise<JpipResponse> =>
    serveJpip(services, await services.targets.find(target), parseJpipRequest(await named(query)), callOf({ memory }));
  return {
    ports: services,
    channels,
    objects,
    index,
    /** Path of the image or the movie, without a leading slash. */
    path,
    request,
    /** The whole body of the response. */
    bytes: async (query: string) => bodyBytes(await request(query)),
  };
}
