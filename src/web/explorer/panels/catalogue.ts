// Loads the list of sources when a panel first needs it.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { loadCatalogue } from '../api/catalogue.ts';
import { sources } from '../store/state.ts';

export function useCatalogue(): { readonly hasFailed: boolean; readonly load: () => void } {
  const hasFailed = useSignal(false);
  const load = () => {
    hasFailed.value = false;
    loadCatalogue().then(
      (all) => {
        sources.value = all;
      },
      () => {
        hasFailed.value = true;
      },
    );
  };
  useEffect(() => {
    if (sources.value === null) load();
  }, []);
  return { hasFailed: hasFailed.value, load };
}
