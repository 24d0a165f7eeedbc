// Actions that follow each other before their pictures have loaded, and in two windows, in a page whose service and picture this test replaces.
import { beforeEach, expect, it, vi } from 'vitest';
import { viewOverlays } from '../../../src/picture/address/view.ts';
import { PLANE } from '../../../src/picture/projection.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';

/** An image each minute, which comes at the end of `hold`. */
const service = vi.hoisted(() => ({
  hold: vi.fn(async (_atMs: number): Promise<void> => undefined),
  imageAt: (atMs: number) => ({ id: atMs, name: 'AIA 171', takenAt: new Date(atMs).toISOString(), distanceSeconds: 0 }),
  closestImage: (_: number, atMs: number, signal: AbortSignal) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      service.hold(atMs).then(() => resolve(service.imageAt(atMs)), reject);
    }),
  neighbours: vi.fn(async (_: number, takenAt: string) => ({
    previousMs: Date.parse(takenAt) - 60_000,
    nextMs: Date.parse(takenAt) + 60_000,
  })),
  headerOf: async () => [],
  eventsAt: vi.fn(),
}));
const moments = vi.hoisted(() => ({
  momentsIn: vi.fn(),
  momentsToPlay: vi.fn((_state: { view: { atMs: number; layers: object[] } }) => new Promise(() => undefined)),
  shownAt: ({ atMs }: { atMs: number }, state: { view: object }) => ({ ...state, view: { ...state.view, atMs } }),
}));
vi.mock('../../../src/explorer/api/images.ts', () => service);
vi.mock('../../../src/explorer/api/events.ts', () => service);
vi.mock('../../../src/explorer/store/address.ts', () => ({ recordAddress: vi.fn(), returned: vi.fn(), returnToShown: vi.fn() }));
vi.mock('../../../src/explorer/store/cadence.ts', () => ({ findCadences: async () => undefined }));
vi.mock('../../../src/explorer/time/moments.ts', () => moments);
vi.mock('../../../src/explorer/motion/player.ts', () => ({ scrubbed: () => null, coarseCover: async () => null }));
vi.mock('../../../src/explorer/picture/picture-sheet.ts', () => ({ pictureSheet: () => ({ load: async () => true }) }));

/** Not literals, because these tests are checked without the types of a page. */
const load = (path: string) => import(new URL(`../../../src/explorer/${path}`, import.meta.url).href);
const PARTS = ['store/state.ts', 'store/open.ts', 'store/actions.ts', 'store/layers.ts', 'time/play.ts'];
const page = Object.assign({}, ...(await Promise.all(PARTS.map(load))));
const { PageError } = await load('api/request.ts');

const layerOf = (sourceId: number) => ({ sourceId, isVisible: true, opacity: 100 });
const shownMs = () => page.shown.value.view.atMs;
/** Holds the pictures of a time without end. */
const holdAt = (heldMs: number) =>
  service.hold.mockImplementation((atMs) => (atMs === heldMs ? new Promise(() => undefined) : Promise.resolve()));

beforeEach(() => {
  const nothing = () => undefined;
  page.usePicture({ isFitted: true, projection: PLANE, screenOf: nothing, use: nothing, play: nothing, uncover: nothing });
  const place = { projection: PLANE, centre: null, imageScale: null };
  const view = { atMs: 0, layers: [10, 13, 4].map(layerOf), ...place, events: [], overlays: viewOverlays(() => false) };
  page.begin();
  page.noteShown({ view, isNewest: false, images: view.layers.map(() => service.imageAt(0)), keys: [1, 2, 3] });
  page.trouble.value = null;
  service.hold.mockReset().mockResolvedValue();
});

it('a change of a layer keeps those of others whose picture still loads, also with another time', async () => {
  service.hold.mockReturnValue(new Promise(() => undefined));
  const changed = page.changeLayer(0, { isVisible: false });
  void page.showNewest();
  await changed;
  void page.removeLayer(1);
  void page.removeLayer(1);
  void page.addLayer(5, (id: number) => id);
  expect(page.layersLoading()).toEqual([layerOf(5), { ...layerOf(10), isVisible: false }, layerOf(4)]);
});

it('a view that is searched for gives way to another time, a later search and play, and not to the newest image', async () => {
  const foundAfter = async (meanwhile: () => unknown) => {
    const found = Promise.withResolvers<object>();
    const search = page.showFound(() => found.promise);
    await meanwhile();
    found.resolve({ atMs: 7 * MINUTE_MS });
    await search;
    return shownMs();
  };
  const newest = () => page.open({ ...page.present().view, atMs: null }, { history: 'replace' });
  expect(await foundAfter(newest)).toBe(7 * MINUTE_MS);
  expect(await foundAfter(() => page.change({ atMs: 2 * MINUTE_MS }))).toBe(2 * MINUTE_MS);
  expect(await foundAfter(() => page.showFound(async () => ({ atMs: 3 * MINUTE_MS })))).toBe(3 * MINUTE_MS);
  expect(await foundAfter(() => void page.play())).toBe(3 * MINUTE_MS);
  expect(page.motion.value).toBe('play');
});

it('steps that wait give way to a time that is asked for, at which later ones and play begin while it loads, with its layers', async () => {
  holdAt(MINUTE_MS);
  void page.step(1, 'image');
  const second = page.step(1, 'image');
  await expect.poll(() => service.hold.mock.calls.flat()).toContain(MINUTE_MS);
  await page.change({ atMs: 9 * MINUTE_MS });
  await second;
  expect(shownMs()).toBe(9 * MINUTE_MS);
  holdAt(20 * MINUTE_MS);
  const ask = () => void page.change({ atMs: 20 * MINUTE_MS });
  ask();
  await page.step(1, 'hour');
  expect(shownMs()).toBe(20 * MINUTE_MS + HOUR_MS);
  ask();
  await page.step(-1, 'image');
  expect(shownMs()).toBe(19 * MINUTE_MS);
  ask();
  void page.removeLayer(2);
  void page.play();
  const [{ view }] = moments.momentsToPlay.mock.lastCall!;
  expect([view.atMs, view.layers]).toEqual([20 * MINUTE_MS, [10, 13].map(layerOf)]);
});

it('a change that is tried again is kept by those that follow it, and steps stay possible after a failure to find neighbours', async () => {
  service.hold.mockRejectedValueOnce(new PageError('offline'));
  await page.change({ atMs: 5 * MINUTE_MS });
  service.neighbours.mockRejectedValueOnce(new PageError('offline'));
  page.trouble.value.retry();
  await page.removeLayer(2);
  expect([shownMs(), page.shown.value.view.layers]).toEqual([5 * MINUTE_MS, [10, 13].map(layerOf)]);
  await expect.poll(() => page.adjacent.value).toEqual({ imageId: null, previousMs: 0, nextMs: 0 });
});

it('a scrub whose images cannot be found ends, so that the next drag is another one', async () => {
  const { scrubTo } = await load('time/scrub.ts');
  moments.momentsIn.mockRejectedValue(new PageError('offline'));
  scrubTo({ by: 1 }, { startMs: 0, endMs: 1 });
  await expect.poll(() => page.trouble.value?.sentence).toContain('offline');
  expect(page.motion.value).toBe('none');
});

it('events of a picture that moves come with the first answer, in place of a failure, and again where a source failed', async () => {
  const { events, eventsFailure } = await load('store/events.ts');
  const answer = (...states: string[]) => ({ categories: [], sources: states.map((state) => ({ state })) });
  service.eventsAt.mockRejectedValueOnce(new PageError('offline')).mockResolvedValueOnce(answer('failed'));
  page.panel.value = 'events';
  await expect.poll(() => eventsFailure.value).toBe('offline');
  page.motion.value = 'play';
  const { view, ...others } = page.shown.value;
  const shownAt = (atMs: number, state: string) => {
    page.shown.value = { view: { ...view, atMs }, ...others };
    return expect.poll(() => [events.value?.sources[0].state, eventsFailure.value]).toEqual([state, null]);
  };
  await expect.poll(() => events.value?.sources[0].state).toBe('failed');
  service.eventsAt.mockResolvedValue(answer('ok'));
  await shownAt(MINUTE_MS, 'ok');
  await shownAt(0, 'ok');
});

it('a list that the browser keeps has what another window has added, also after the next item', async () => {
  const [stored, windows] = [new Map<string, string>(), new EventTarget()];
  vi.stubGlobal('localStorage', { getItem: (key: string) => stored.get(key) ?? null, setItem: stored.set.bind(stored) });
  vi.stubGlobal('addEventListener', windows.addEventListener.bind(windows));
  const { keptList } = await load('store/kept-list.ts');
  const [own, other] = [keptList('views', 5), keptList('views', 5)];
  other.remember({ id: 'b' });
  windows.dispatchEvent(Object.assign(new Event('storage'), { key: 'views' }));
  own.remember({ id: 'a' });
  expect(stored.get('views')).toBe('[{"id":"a"},{"id":"b"}]');
});
