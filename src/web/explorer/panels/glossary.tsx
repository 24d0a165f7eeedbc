// The terms of the page in alphabetical order, with a search.
import '../core.ts';
import { useSignal } from '@preact/signals';
import { Facts, Search } from '../page/controls.tsx';
import { presentLanguage } from '../texts/language.ts';
import { guide } from '../texts/more.ts';
import { texts } from '../texts.ts';

export function Glossary() {
  const search = useSignal('');
  const wanted = search.value.trim().toLowerCase();
  const entries = Object.values(guide.glossary)
    .filter((entry) => entry.join(' ').toLowerCase().includes(wanted))
    .sort(([a], [b]) => a!.localeCompare(b!, presentLanguage()));
  return (
    <>
      <Search id="glossary-search" label={texts.searchTerms} placeholder="" text={search} />
      <Facts id="glossary" class="terms" of={entries.map(([term, explanation]) => [term!, explanation])} />
    </>
  );
}
