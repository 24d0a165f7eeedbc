import { expect, it, vi } from 'vitest';

const KEPT = new URL('../../../src/explorer/store/kept-list.ts', import.meta.url).href;

it('a list that the browser keeps has what another window has added, also after the next item', async () => {
  const [stored, windows] = [new Map<string, string>(), new EventTarget()];
  vi.stubGlobal('localStorage', { getItem: (key: string) => stored.get(key) ?? null, setItem: stored.set.bind(stored) });
  vi.stubGlobal('addEventListener', windows.addEventListener.bind(windows));
  const { keptList } = await import(KEPT);
  const [own, other] = [keptList('views', 5), keptList('views', 5)];
  other.remember({ id: 'b' });
  windows.dispatchEvent(Object.assign(new Event('storage'), { key: 'views' }));
  own.remember({ id: 'a' });
  expect(stored.get('views')).toBe('[{"id":"a"},{"id":"b"}]');
  vi.unstubAllGlobals();
});
