// The list of sources, which loads when a panel first needs it.
import { DAY_MS } from '../../platform/util/durations.ts';
import { loadCatalogue } from '../api/catalogue.ts';
import { type Loaded, useLoaded } from '../page/loading.tsx';
import { sources } from '../store/state.ts';

export function useCatalogue(): Pick<Loaded<void>, 'failure' | 'retry'> {
  return useLoaded(sources.value === null ? 'catalogue' : '', async () => {
    sources.value = await loadCatalogue();
  });
}

/** Whether a source has images within a day of a time, as far as its first and last one tell. */
export const hasImages = (id: number, atMs: number): boolean =>
  sources.value?.some(({ sourceId, startMs, endMs }) => id === sourceId && atMs >= startMs - DAY_MS && atMs <= endMs + DAY_MS) ??
  false;
