// The JPIP service with one image in memory.
import { memoryLimits } from '../../../src/config/limits/memory.ts';
import { parseJpipRequest } from '../../../src/domain/jpip/request.ts';
import { indexJp2 } from '../../../src/imaging/jp2/index-jp2.ts';
import type { Jp2Index } from '../../../src/imaging/jp2/sidecar.ts';
import { type JpipPorts, type JpipResponse, serveJpip } from '../../../src/services/jpip/response.ts';
import { JpipTargets, type TargetPorts } from '../../../src/services/jpip/target.ts';
import { archivePath } from '../../../src/storage/keys.ts';
import { MemoryBudget } from '../../../src/util/memory-budget.ts';
import { makeImage } from '../imaging/images.ts';
import { MemoryChannels } from '../memory/channels.ts';
import { MemoryImageIndex } from '../memory/image-index.ts';
import { MemoryObjectStore } from '../memory/object-store.ts';

export interface JpipArchive {
  readonly ports: JpipPorts & TargetPorts;
  readonly channels: MemoryChannels;
  readonly objects: MemoryObjectStore;
  readonly index: Jp2Index;
  /** Path of the image without a leading slash. */
  readonly path: string;
  request(query: string, path?: string): Promise<JpipResponse>;
  /** The whole body of the response. */
  bytes(query: string): Promise<Uint8Array>;
}

export async function bodyBytes({ body }: JpipResponse): Promise<Uint8Array> {
  return body instanceof Uint8Array ? body : new Uint8Array(await new Response(body as BodyInit).arrayBuffer());
}

export async function jpipArchive(jp2: Uint8Array): Promise<JpipArchive> {
  const image = { id: 1, ...makeImage(10, 0, { fileName: 'image.jp2', byteLength: jp2.length }) };
  const objects = new MemoryObjectStore();
  await objects.put(image.key, jp2);
  const index = indexJp2(jp2);
  const channels = new MemoryChannels();
  const memory = new MemoryBudget(memoryLimits());
  const ports = { objects, channels, index: new MemoryImageIndex([image]), openIndex: async () => index, memory };
  const targets = new JpipTargets(ports);
  const path = archivePath(image.key);
  const request = async (query: string, target = path): Promise<JpipResponse> =>
    serveJpip(ports, await targets.find(target), parseJpipRequest(query), () => undefined);
  return { ports, channels, objects, index, path, request, bytes: async (query) => bodyBytes(await request(query)) };
}
