// The app over a small in-memory archive: AIA 171 every minute, one LASCO C2, one XRT and one old EIT image.
import { type AppDependencies, createApp } from '../../src/app.ts';
import { readServiceSettings } from '../../src/config/settings/service.ts';
import type { DownloadSize } from '../../src/domain/download-size.ts';
import type { ArchivedImage } from '../../src/domain/image.ts';
import { recipeString } from '../../src/domain/recipe/recipe-string.ts';
import type { FramePlan } from '../../src/services/rendering/frame-plan.ts';
import type { FrameMarkers } from '../../src/services/rendering/frame-renderer.ts';
import type { ImageFileRenderer } from '../../src/services/rendering/image-file-renderer.ts';
import type { ImageType } from '../../src/services/rendering/image-formats.ts';
import type { PictureRenderer } from '../../src/services/rendering/picture-renderer.ts';
import type { TileRenderer } from '../../src/services/rendering/tile-renderer.ts';
import { ClientStates } from '../../src/services/sharing/client-states.ts';
import { expectDescribed } from './described-responses.ts';
import { MemoryClientStates } from './memory/client-states.ts';
import { MemoryEdgeCache } from './memory/edge-cache.ts';
import { MemoryImageIndex } from './memory/image-index.ts';
import { memoryShortLinks } from './memory/links.ts';
import { MemoryObjectStore } from './memory/object-store.ts';
import { MemoryScreenshots } from './memory/screenshots.ts';

export const NOW_MS = Date.UTC(2024, 0, 31, 12);

const XML =
  "<meta><fits><TELESCOP>SDO/AIA</TELESCOP><NOTE>it's</NOTE>\n<CDELT1>0.6</CDELT1></fits><helioviewer></helioviewer></meta>";

/** Bytes with an XML header, different for each image; not a valid JPEG 2000 file. */
function jp2Bytes(id: number): Uint8Array {
  const header = new TextEncoder().encode(`....jP  ${XML}`);
  return Uint8Array.from({ length: 1000 }, (_, i) => header[i] ?? (i * 7 + id) % 256);
}

export function archivedImage(
  id: number,
  sourceId: number,
  takenAt: string,
  overrides: Partial<ArchivedImage> = {},
): ArchivedImage {
  const fileName = `image_${id}.jp2`;
  return {
    id,
    sourceId,
    takenAtMs: Date.parse(takenAt),
    fileName,
    key: `jp2/AIA/2024/01/01/171/${fileName}`,
    byteLength: 1000,
    sha256: id.toString(16).padStart(64, '0').split('').reverse().join(''),
    geometry: {
      scaleArcsecPerPixel: 0.6083466737042187,
      scaleCorrection: 0.9862797742389285,
      width: 4096,
      height: 4096,
      refPixelX: 2048.5,
      refPixelY: 2048.5,
      offsetX: 0,
      offsetY: 0,
      rotationDegrees: 0,
      rsunPixels: 1577.4636,
      dsunMetres: 151678940000,
      layeringOrder: 1,
      sunCenterOffsetParams: [],
    },
    ...overrides,
  };
}

export const IMAGES: readonly ArchivedImage[] = [
  archivedImage(16, 0, '2009-05-01T00:00:00Z'),
  archivedImage(26, 10, '2024-01-01T00:00:00Z'),
  archivedImage(42, 10, '2024-01-01T00:01:00Z'),
  archivedImage(58, 10, '2024-01-01T00:02:00.500Z'),
  archivedImage(74, 10, '2024-01-31T11:00:00Z'),
  archivedImage(20, 4, '2024-01-01T06:00:00Z'),
  archivedImage(22, 38, '2024-01-02T00:00:00Z'),
];

/** Prints its arguments instead of a PNG, and counts calls. */
export class MemoryTileRenderer implements TileRenderer {
  drawn = 0;

  async render(image: ArchivedImage, tile: { x: number; y: number; imageScale: number }, reference: ArchivedImage | null) {
    this.drawn += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
    const minus = reference ? ` minus ${reference.id}` : '';
    const png = new TextEncoder().encode(`PNG ${image.id}${minus} ${tile.x} ${tile.y} ${tile.imageScale}`);
    return { png, timings: { decode: 4, colour: 1, encode: 2 } };
  }
}

/** Prints its arguments instead of a PNG, and counts calls. */
export class MemoryPictureRenderer implements PictureRenderer {
  readonly version = 7;
  drawn = 0;

  async png({ recipe, layers }: FramePlan, markers: FrameMarkers) {
    this.drawn += 1;
    const images = layers.map(({ image, reference }) => (reference ? `${image.id}-${reference.id}` : image.id));
    const bytes = new TextEncoder().encode(`PNG ${images} ${recipeString(recipe)} ${JSON.stringify(markers)}`);
    return { bytes, timings: { decode: 40, encode: 20 } };
  }
}

/** Prints its arguments instead of a file, and counts calls. */
export class MemoryImageFileRenderer implements ImageFileRenderer {
  readonly version = 7;
  drawn = 0;

  async render({ id }: ArchivedImage, { width, height }: DownloadSize, type: ImageType) {
    this.drawn += 1;
    return { bytes: new TextEncoder().encode(`${type} ${id} ${width}x${height}`), timings: { decode: 40, encode: 20 } };
  }
}

/** The app over the archive. `settle` waits for work that continues after responses. */
export function testArchive(overrides: Partial<AppDependencies> = {}) {
  const index = new MemoryImageIndex(IMAGES);
  const objects = new MemoryObjectStore();
  for (const image of IMAGES) objects.objects.set(image.key, jp2Bytes(image.id));
  const edgeCache = new MemoryEdgeCache();
  const tiles = new MemoryTileRenderer();
  const imageFiles = new MemoryImageFileRenderer();
  const pictures = new MemoryPictureRenderer();
  const screenshotRegister = new MemoryScreenshots();
  const background: Promise<unknown>[] = [];
  const logged: Readonly<Record<string, unknown>>[] = [];
  const app = createApp({
    index,
    objects,
    tiles,
    imageFiles,
    pictures,
    screenshotRegister,
    clientSecret: 'a secret of the tests',
    edgeCache,
    clock: () => NOW_MS,
    links: memoryShortLinks().links,
    clientStates: new ClientStates({ register: new MemoryClientStates(), objects, clock: () => NOW_MS }),
    settings: readServiceSettings({}),
    waitUntil: (work) => background.push(work),
    log: (record) => logged.push(record),
    ...overrides,
  });
  /** Requests a path of the app, and compares the response with the OpenAPI document. */
  const get = async (path: string, init?: RequestInit) => {
    const url = new URL(`http://sun.test${path}`);
    const response = await app.request(url.href, init);
    await expectDescribed(url, init?.method ?? 'GET', response);
    return response;
  };
  const settle = async () => {
    while (background.length > 0) await background.shift();
  };
  return { app, get, settle, index, objects, edgeCache, tiles, imageFiles, pictures, screenshotRegister, logged, jp2Bytes };
}
