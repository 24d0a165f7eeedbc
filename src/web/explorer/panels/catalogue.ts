// Loads the list of sources when a panel first needs it.
import { loadCatalogue } from '../api/catalogue.ts';
import { type Loaded, useLoaded } from '../page/loading.tsx';
import { sources } from '../store/state.ts';

export function useCatalogue(): Pick<Loaded<void>, 'failure' | 'retry'> {
  return useLoaded(sources.value === null ? 'catalogue' : '', async () => {
    sources.value = await loadCatalogue();
  });
}
