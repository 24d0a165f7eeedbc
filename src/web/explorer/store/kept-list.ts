// Lists that the browser keeps in its storage, the latest item first.
import { type ReadonlySignal, signal } from '@preact/signals';

export interface KeptList<T> {
  readonly items: ReadonlySignal<readonly T[]>;
  /** Puts an item first, in place of one with its id. */
  remember(item: T): void;
  forget(id: string): void;
}

function stored<T extends { readonly id: string }>(key: string): T[] {
  try {
    const list = JSON.parse(localStorage.getItem(key) ?? '[]') as T[];
    return Array.isArray(list) ? list.filter(({ id }) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

/** @param most Items that are kept; the oldest are dropped first */
export function keptList<T extends { readonly id: string }>(key: string, most: number): KeptList<T> {
  const items = signal<readonly T[]>(stored(key));
  const keep = (next: readonly T[]) => {
    items.value = next;
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      // Browsers refuse storage in private windows; the list then lasts as long as the page.
    }
  };
  return {
    items,
    remember: (item) => keep([item, ...items.value.filter(({ id }) => id !== item.id)].slice(0, most)),
    forget: (id) => keep(items.value.filter((item) => item.id !== id)),
  };
}
