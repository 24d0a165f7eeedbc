// Actions that follow each other before their pictures have loaded, and in two windows, in a page that this test replaces.
import { beforeEach, expect, it, vi } from 'vitest';

const page = vi.hoisted(() => ({
  change: vi.fn(),
  pause: vi.fn(),
  report: vi.fn(),
  begin: () => new AbortController().signal,
  present: () => ({ view: { atMs: 0 } }),
  layersLoading: () => page.change.mock.calls.findLast(([part]) => part.layers)?.[0].layers,
}));
const moments = vi.hoisted(() => ({ momentsIn: vi.fn() }));
vi.mock('../../../src/explorer/store/open.ts', () => page);
vi.mock('../../../src/explorer/store/address.ts', () => ({}));
vi.mock('../../../src/explorer/time/moments.ts', () => moments);
vi.mock('../../../src/explorer/motion/player.ts', () => ({ scrubbed: () => null }));

/** Not a literal, because these tests are checked without the types of a page. */
const load = (path: string) => import(new URL(`../../../src/explorer/${path}`, import.meta.url).href);

const layerOf = (sourceId: number) => ({ sourceId, isVisible: true, opacity: 100 });

beforeEach(async () => {
  const { shown } = await load('store/state.ts');
  shown.value = { view: { atMs: 0, layers: [10, 13, 4].map(layerOf) }, images: [{ id: 1 }], keys: [1, 2, 3] };
  page.change.mockReset().mockReturnValue(new Promise(() => undefined));
});

it('a change of a layer keeps those of others whose picture still loads, also with another time', async () => {
  const actions = { ...(await load('store/actions.ts')), ...(await load('store/layers.ts')) };
  const { addLayer, changeLayer, removeLayer, showNewest } = actions;
  const first = Promise.withResolvers<boolean>();
  page.change.mockReturnValueOnce(first.promise);
  const changed = changeLayer(0, { isVisible: false });
  void showNewest();
  first.resolve(false);
  await changed;
  void removeLayer(1);
  void removeLayer(1);
  void addLayer(5, (id: number) => id);
  const { layers } = page.change.mock.lastCall![0];
  expect(layers).toEqual([layerOf(5), { ...layerOf(10), isVisible: false }, layerOf(4)]);
});

it('a view that is searched for gives way to a later search, and to another time', async () => {
  const [{ showFound }, { askedMs }] = [await load('store/actions.ts'), await load('store/state.ts')];
  const finds = [1, 2, 3].map(() => Promise.withResolvers<object>());
  void showFound(() => finds[0]!.promise);
  const second = showFound(() => finds[1]!.promise);
  finds[0]!.resolve({ atMs: 1 });
  finds[1]!.resolve({ atMs: 2 });
  page.change.mockResolvedValue(true);
  await second;
  const third = showFound(() => finds[2]!.promise);
  askedMs.value = 4;
  finds[2]!.resolve({ atMs: 3 });
  await third;
  expect(page.change.mock.calls).toEqual([[{ atMs: 2 }]]);
});

it('a scrub whose images cannot be found ends, so that the next drag is another one', async () => {
  const { scrubTo } = await load('time/scrub.ts');
  moments.momentsIn.mockRejectedValue(new Error('offline'));
  scrubTo({ by: 1 }, { startMs: 0, endMs: 1 });
  await expect.poll(() => page.report.mock.calls.length).toBe(1);
  expect(page.pause).toHaveBeenCalledOnce();
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
  vi.unstubAllGlobals();
});
