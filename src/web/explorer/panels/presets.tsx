// Presets: layers with a picture and two sentences, and the highlights of the day.
import '../core.ts';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { plainLayer } from '../../../picture/layers.ts';
import type { ImageRecord } from '../api/image-record.ts';
import { closestImage, picturePath } from '../api/images.ts';
import { sentenceOf } from '../api/request.ts';
import { Distance } from '../page/caption.tsx';
import { Failure, useAttempts } from '../page/loading.tsx';
import { change } from '../store/open.ts';
import { shown, sources } from '../store/state.ts';
import { presetTexts } from '../texts/panels.ts';
import { texts } from '../texts.ts';
import { useCatalogue } from './catalogue.ts';
import { Highlights } from './highlights.tsx';
import { SavedViews } from './saved-views.tsx';

type PresetName = 'corona' | 'hot' | 'chromosphere' | 'magnetic' | 'sunspots' | 'eruptions';

/** Layers of each preset from the bottom to the top; the last one gives the picture of its card. */
const PRESETS: Readonly<Record<PresetName, readonly number[]>> = {
  corona: [10],
  hot: [9],
  chromosphere: [13],
  magnetic: [19],
  sunspots: [18],
  eruptions: [13, 4, 5],
};

const CARD_PIXELS = 160;

/** `undefined` while it is searched for and after a failure, null when the archive has none. */
type Found = ImageRecord | null | undefined;

function Card({ name, image }: { readonly name: PresetName; readonly image: Found }) {
  const { title, text } = presetTexts[name];
  const sourceIds = PRESETS[name];
  const current = shown.value?.view.layers.map(({ sourceId }) => sourceId).join();
  return (
    <li>
      <button
        type="button"
        class="card"
        aria-pressed={current === sourceIds.join()}
        disabled={image === null}
        onClick={() => void change({ layers: sourceIds.map(plainLayer), centre: null, imageScale: null })}
      >
        {image ? (
          <img src={picturePath(image.id, CARD_PIXELS)} alt="" width="72" height="72" loading="lazy" />
        ) : (
          <span class="no-picture" />
        )}
        <span>
          <strong>{title}</strong>
          <span class="quiet">{text}</span>
          {image && Math.abs(image.distanceSeconds) > 3600 && <Distance image={image} />}
          {image === null && <span class="distance far">{presetTexts.missing}</span>}
        </span>
      </button>
    </li>
  );
}

export function Presets() {
  const images = useSignal<Readonly<Record<string, Found>>>({});
  const failure = useSignal<string | null>(null);
  const atMs = shown.value?.view.atMs;
  const catalogue = useCatalogue();
  const known = sources.value;
  const [attempts, retry] = useAttempts();
  useEffect(() => {
    failure.value = null;
    if (atMs === undefined || known === null) return;
    const loading = new AbortController();
    for (const [name, sourceIds] of Object.entries(PRESETS)) {
      const pictured = sourceIds.at(-1)!;
      if (!known.some(({ sourceId }) => sourceId === pictured)) {
        images.value = { ...images.value, [name]: null };
        continue;
      }
      closestImage(pictured, atMs, loading.signal).then(
        (image) => {
          images.value = { ...images.value, [name]: image };
        },
        (error: unknown) => {
          if (loading.signal.aborted) return;
          images.value = { ...images.value, [name]: undefined };
          failure.value = sentenceOf(error);
        },
      );
    }
    return () => loading.abort();
  }, [atMs, known, attempts]);
  return (
    <>
      {atMs !== undefined && <Highlights atMs={atMs} />}
      {catalogue.failure && <Failure sentences={[texts.failures.catalogue, catalogue.failure]} retry={catalogue.retry} />}
      {failure.value && <Failure sentences={[texts.failures.presets, failure.value]} retry={retry} />}
      <ul class="cards">
        {(Object.keys(PRESETS) as PresetName[]).map((name) => (
          <Card key={name} name={name} image={images.value[name]} />
        ))}
      </ul>
      <SavedViews />
    </>
  );
}
