// Lists that the browser keeps in its storage, the latest item first.
import { type ReadonlySignal, signal } from '@preact/signals';
import { keep, kept } from './kept.ts';

export interface KeptItem {
  readonly id: string;
  readonly name: string;
  readonly atMs: number;
  readonly message?: string;
}

function stored(key: string): KeptItem[] {
  try {
    const list = JSON.parse(kept(key) ?? '[]') as KeptItem[];
    return Array.isArray(list) ? list.filter(({ id }) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

/** @param most Items that are kept; the oldest are dropped first */
export function keptList(key: string, most: number) {
  const items = signal<readonly KeptItem[]>(stored(key));
  const set = (next: readonly KeptItem[]) => {
    items.value = next;
    keep(key, JSON.stringify(next));
  };
  // What another window has kept.
  addEventListener('storage', (event) => {
    if (event.key === key) items.value = stored(key);
  });
  return {
    items: items as ReadonlySignal<readonly KeptItem[]>,
    remember: (item: KeptItem) => set([item, ...items.value.filter(({ id }) => id !== item.id)].slice(0, most)),
    forget: (id: string) => set(items.value.filter((item) => item.id !== id)),
  };
}
