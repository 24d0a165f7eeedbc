// The channels of the instrument that is shown: a strip or a wall of small pictures at the shown time, each of which takes the place of the layer.

import { signal } from '@preact/signals';
import { loadCatalogue, type Source } from '../api/catalogue.ts';
import { closestImage, picturePath } from '../api/images.ts';
import { Button, toggle } from '../page/controls.tsx';
import { useCatalogue, useLoaded } from '../page/loading.tsx';
import { queued } from '../store/actions.ts';
import { changeLayer } from '../store/layers.ts';
import { report } from '../store/open.ts';
import { baseSourceId, hasImages, restMs, shown, sources } from '../store/state.ts';
import { texts } from '../texts.ts';

const PICTURE_PIXELS = { strip: 96, wall: 320 } as const;
const isWall = signal(false);

/** The sources of the instrument of the lowest shown layer that have images within a day of the shown time, by their names. */
function channels(): Source[] {
  const all = sources.value ?? [];
  const own = all.find(({ sourceId }) => sourceId === baseSourceId.value);
  const atMs = shown.value?.view.atMs ?? 0;
  const isBeside = ({ sourceId, path }: Source) =>
    path[0] === own?.path[0] && path[1] === own?.path[1] && hasImages(sourceId, atMs);
  return all.filter(isBeside).sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
}

async function show(sourceId: number): Promise<void> {
  const index = shown.value!.view.layers.findIndex((layer) => layer.sourceId === baseSourceId.value);
  isWall.value = false;
  if (index >= 0 && sourceId !== baseSourceId.value) await changeLayer(index, { sourceId, range: undefined });
}

async function stepNow(by: -1 | 1): Promise<void> {
  sources.value ??= await loadCatalogue();
  const all = channels();
  const at = all.findIndex(({ sourceId }) => sourceId === baseSourceId.value);
  const next = all[(at + by + all.length) % all.length];
  if (at >= 0 && next) await show(next.sourceId);
}

export const stepChannel = (by: -1 | 1): Promise<unknown> =>
  queued(() => stepNow(by).catch((error: unknown) => report(error, () => void stepChannel(by))));

function Channel({ source: { sourceId, name } }: { readonly source: Source }) {
  const { atMs } = shown.value!.view;
  const { last } = useLoaded(`${sourceId} ${atMs}`, (signal) => closestImage(sourceId, atMs, signal), restMs());
  const width = PICTURE_PIXELS[isWall.value ? 'wall' : 'strip'];
  return (
    <button type="button" aria-pressed={sourceId === baseSourceId.value} onClick={() => void show(sourceId)}>
      {last ? <img src={picturePath(last.value.id, width)} alt="" loading="lazy" /> : <span class="no-picture" />}
      {name}
    </button>
  );
}

export function Channels() {
  useCatalogue();
  if (!shown.value) return null;
  const words = texts.channels;
  return (
    <section class="channels" data-wall={isWall.value} aria-label={words.title}>
      {channels().map((source) => (
        <Channel key={source.sourceId} source={source} />
      ))}
      <Button label={words.wall} act={toggle(isWall)} aria-pressed={isWall.value} />
    </section>
  );
}
