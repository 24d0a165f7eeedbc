// Layers: the present ones from the top, and a search over all sources to add one.
import '../core.ts';
import { useSignal } from '@preact/signals';
import { isoDay } from '../../../domain/time.ts';
import { RECIPE_LIMITS } from '../../../picture/limits.ts';
import type { Source } from '../api/catalogue.ts';
import { hasWords, observatoryName, topicsOfSource } from '../model/topics.ts';
import { Button, Check, Search, Status } from '../page/controls.tsx';
import { Failure } from '../page/loading.tsx';
import { compare } from '../picture/swipe.tsx';
import { ProjectionChoice } from '../projection/projection-choice.tsx';
import { addLayer, isGrey, setGrey } from '../store/actions.ts';
import { shown, sources } from '../store/state.ts';
import { fill, texts } from '../texts.ts';
import { hasImages, useCatalogue } from './catalogue.ts';
import { LayerItem } from './layers/layer-item.tsx';

// In this chunk, which has most of its modules: one of its own adds 430 bytes to the scripts.
export { Ground } from '../projection/ground.tsx';

const MOST_FOUND = 60;

const wordsOf = ({ name, path, sourceId }: Source) => {
  const topics = topicsOfSource(name, path).map((topic) => texts.topics[topic]);
  return [name, ...path, ...path.map(observatoryName), sourceId, ...topics].join(' ');
};

/** Observatories that look at the whole Sun at any time. */
const FIRST = ['SDO', 'SOHO'];

/** The sources that a search finds: those with images within a day of the shown time first, of them those of SDO and SOHO. */
function foundBy(search: string, all: readonly Source[]): Source[] {
  const atMs = shown.value?.view.atMs ?? Date.now();
  const rankOf = ({ path, sourceId }: Source) => {
    const observatory = FIRST.indexOf(path[0] ?? '');
    return (observatory < 0 ? FIRST.length : observatory) + (hasImages(sourceId, atMs) ? 0 : FIRST.length + 1);
  };
  return all.filter((source) => hasWords(wordsOf(source), search)).sort((a, b) => rankOf(a) - rankOf(b));
}

function SourceList({ search }: { readonly search: string }) {
  const all = sources.value;
  if (!all) return <p class="quiet">{texts.loading}</p>;
  const found = foundBy(search, all);
  const orderOf = (id: number) => all.find(({ sourceId }) => sourceId === id)?.layeringOrder ?? 1;
  const isFull = (shown.value?.view.layers.length ?? 0) >= RECIPE_LIMITS.layers;
  return (
    <>
      <Status>
        {isFull ? fill(texts.layers.full, { most: RECIPE_LIMITS.layers }) : fill(texts.layers.found, { count: found.length })}
      </Status>
      <ul class="list sources">
        {found.slice(0, MOST_FOUND).map(({ sourceId, name, path, startMs, endMs }) => (
          <li key={sourceId}>
            <button type="button" class="row-button" disabled={isFull} onClick={() => void addLayer(sourceId, orderOf)}>
              <strong>{name}</strong> <span class="quiet">{path.join(' · ')}</span>
              <span class="quiet">{fill(texts.layers.range, { start: isoDay(startMs), end: isoDay(endMs) })}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

export function Layers() {
  const search = useSignal('');
  const { failure, retry } = useCatalogue();
  const layers = shown.value?.view.layers ?? [];
  const visible = layers.filter(({ isVisible }) => isVisible);
  return (
    <>
      <ol class="layers" aria-label={texts.layers.present}>
        {layers
          .map((layer, i) => <LayerItem key={shown.value!.keys[i]} layer={layer} index={i} count={layers.length} />)
          .reverse()}
      </ol>
      <Check label={texts.layers.grey} isOn={isGrey(layers)} set={setGrey} />
      <p class="links">
        <Button label={texts.compare.layers} disabled={visible.length < 2} act={() => compare('layers')} />
        <Button label={texts.compare.time} act={() => compare('time')} />
      </p>
      <ProjectionChoice />
      <h3>{texts.layers.add}</h3>
      <Search id="search" label={texts.layers.search} placeholder={texts.layers.example} text={search} />
      {failure ? <Failure sentences={[texts.failures.catalogue, failure]} retry={retry} /> : <SourceList search={search.value} />}
    </>
  );
}
