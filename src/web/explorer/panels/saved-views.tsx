// Views that the user has saved in this browser.
import { useSignal } from '@preact/signals';
import { printAddress } from '../../../picture/address/print-address.ts';
import { Field, IconButton, setter } from '../page/controls.tsx';
import { keptList } from '../store/kept-list.ts';
import { present } from '../store/open.ts';
import { shown } from '../store/state.ts';
import { presetTexts } from '../texts/more.ts';
import { utc } from '../texts/times.ts';
import { fill, texts } from '../texts.ts';

interface SavedView {
  /** The query of its address, without a language. */
  readonly id: string;
  readonly name: string;
  readonly atMs: number;
}

const saved = keptList<SavedView>('helioedge.views', 50);
const LONGEST_NAME = 80;
const words = presetTexts;

const namesOfLayers = (): string => (shown.value?.images ?? []).flatMap((image) => image?.name ?? []).join(', ');

export function SavedViews() {
  const name = useSignal('');
  const save = (event: Event) => {
    event.preventDefault();
    const state = present();
    if (!state) return;
    saved.remember({ id: printAddress(state.view), name: name.value.trim() || namesOfLayers(), atMs: state.view.atMs });
    name.value = '';
  };
  return (
    <section aria-labelledby="saved-views">
      <h3 id="saved-views">{words.saved}</h3>
      <form class="share-line" onSubmit={save}>
        <Field
          label={words.savedName}
          id="view-name"
          type="text"
          maxLength={LONGEST_NAME}
          value={name.value}
          placeholder={namesOfLayers()}
          onInput={(event) => setter(name)(event.currentTarget.value)}
        />
        <button type="submit">{words.save}</button>
      </form>
      <ul class="saved-views">
        {saved.items.value.map((view) => (
          <li key={view.id}>
            <a href={`/?${view.id}`}>
              {view.name} <span class="quiet">{utc(view.atMs)}</span>
            </a>
            <IconButton icon="close" label={fill(texts.make.forget, { name: view.name })} act={() => saved.forget(view.id)} />
          </li>
        ))}
      </ul>
    </section>
  );
}
