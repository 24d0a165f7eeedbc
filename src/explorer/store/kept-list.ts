// Lists that the browser keeps in its storage, the latest item first.
import { type ReadonlySignal, signal } from '@preact/signals';
import { keep, kept } from './kept.ts';

function stored<T extends { readonly id: string }>(key: string): T[] {
  try {
    const list = JSON.parse(kept(key) ?? '[]') as T[];
    return Array.isArray(list) ? list.filter(({ id }) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

/** @param most Items that are kept; the oldest are dropped first */
export function keptList<T extends { readonly id: string }>(key: string, most: number) {
  const items = signal<readonly T[]>(stored(key));
  const set = (next: readonly T[]) => {
    items.value = next;
    keep(key, JSON.stringify(next));
  };
  // What another window has kept.
  addEventListener('storage', (event) => {
    if (event.key === key) items.value = stored(key);
  });
  return {
    items: items as ReadonlySignal<readonly T[]>,
    remember: (item: T) => set([item, ...items.value.filter(({ id }) => id !== item.id)].slice(0, most)),
    forget: (id: string) => set(items.value.filter((item) => item.id !== id)),
  };
}
