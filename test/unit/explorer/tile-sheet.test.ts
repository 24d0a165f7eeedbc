// Loads of tiles that end while others wait for the same tiles: on a canvas and from a service that this test replaces.
import { beforeEach, expect, it, vi } from 'vitest';
import { PLANE } from '../../../src/picture/projection.ts';

const canvas = vi.hoisted(() => ({
  isLost: false,
  mostPixels: 4096,
  element: new EventTarget(),
  blank: (size: object) => ({ size, content: 0 }),
  put: () => undefined,
  copy: () => undefined,
  free: vi.fn(),
  draw: () => true,
}));

vi.mock('../../../src/explorer/motion/canvas.ts', () => ({ sharedCanvas: () => canvas, observerOf: () => null }));
vi.mock('../../../src/explorer/api/frames.ts', () => ({
  loadFrame: async () => ({ picture: { close: () => undefined }, description: { imageScale: 2.4, sun: { x: 0, y: 0 } } }),
}));

const decode = vi.fn(async () => ({ close: () => undefined }));

/** Not a literal, because these tests are checked without the types of a page. */
const SHEET = new URL('../../../src/explorer/picture/tile-sheet.ts', import.meta.url).href;
const FIRST_PATHS = new URL('../../../src/explorer/picture/first-paths.ts', import.meta.url).href;

const SIZE = { width: 512, height: 512 };
const VIEW = { camera: { x: 0, y: 0, scale: 4.8 }, size: SIZE, projected: { projection: PLANE, distanceRadii: 215 } };

const image = { width: 1024, height: 1024, scale: 2.4, refPixelX: 512.5, refPixelY: 512.5 };

const frameOf = (id: number) => [{ key: id, opacity: 100, reference: null, image: { ...image, id } }];

/** Requests of tiles that wait for their responses. */
let waiting: { readonly path: string; readonly signal: AbortSignal; readonly respond: () => void }[] = [];
let sheet: { load(frame: object, view: object, signal: AbortSignal): Promise<boolean>; retry(): void };

beforeEach(async () => {
  vi.stubGlobal('devicePixelRatio', 1);
  vi.stubGlobal('createImageBitmap', decode);
  vi.stubGlobal('fetch', (path: string, { signal }: { readonly signal: AbortSignal }) => {
    const response = Promise.withResolvers<Response>();
    signal.addEventListener('abort', () => response.reject(signal.reason));
    waiting.push({ path, signal, respond: () => response.resolve(new Response('tile')) });
    return response.promise;
  });
  waiting = [];
  canvas.free.mockClear();
  const { tileSheet } = await import(SHEET);
  sheet = tileSheet({ onChange: () => undefined, onLost: () => undefined });
});

const requested = () => expect.poll(() => waiting.length).toBeGreaterThan(0);
const respond = () => {
  for (const { respond: answer } of waiting) answer();
};

it('a tile sheet keeps the tiles of a load that is aborted while another load waits for them', async () => {
  const [first, second] = [new AbortController(), new AbortController()];
  void sheet.load(frameOf(1), VIEW, first.signal);
  const loaded = sheet.load(frameOf(1), VIEW, second.signal);
  await requested();
  first.abort();
  expect(waiting.map(({ signal }) => signal.aborted)).not.toContain(true);
  expect(canvas.free).not.toHaveBeenCalled();
  respond();
  expect(await loaded).toBe(true);
});

it('a tile sheet ends the requests of tiles for which no load waits any more', async () => {
  const loads = [new AbortController(), new AbortController()];
  for (const { signal } of loads) void sheet.load(frameOf(2), VIEW, signal);
  await requested();
  loads[0]!.abort();
  expect(waiting.map(({ signal }) => signal.aborted)).not.toContain(true);
  loads[1]!.abort();
  expect(waiting.map(({ signal }) => signal.aborted)).not.toContain(false);
  expect(canvas.free).toHaveBeenCalledTimes(1);
});

it('a tile sheet keeps tiles that have loaded when the signal of their load aborts later', async () => {
  const loading = new AbortController();
  const loaded = sheet.load(frameOf(3), VIEW, loading.signal);
  await requested();
  respond();
  await loaded;
  loading.abort();
  expect(canvas.free).not.toHaveBeenCalled();
});

it('a tile sheet requests a tile anew whose file the browser could not read', async () => {
  decode.mockRejectedValueOnce(new Error('damaged'));
  const loaded = sheet.load(frameOf(5), VIEW, new AbortController().signal);
  await requested();
  respond();
  await loaded;
  const before = waiting.length;
  sheet.retry();
  void sheet.load(frameOf(5), VIEW, new AbortController().signal);
  await expect.poll(() => waiting.length).toBe(before + 1);
});

it('a tile sheet requests the tiles of a whole image by the addresses that the page requests before', async () => {
  const { wholePaths } = await import(FIRST_PATHS);
  const view = { ...VIEW, camera: { x: 0, y: 0, scale: (image.width * image.scale) / SIZE.width } };
  const [frame] = frameOf(4);
  void sheet.load([frame!], view, new AbortController().signal);
  await requested();
  const [description, ...tiles] = wholePaths(frame!.image, SIZE);
  expect(waiting.map(({ path }) => path).sort()).toEqual([...tiles].sort());
  expect(description).toMatch(/^\/v2\/getFrame\/\?id=4&imageScale=[\d.]+$/);
});
