// "Save what I see": the played range as a movie that this browser encodes, with its progress.
import { signal } from '@preact/signals';
import { SAVED_MOVIE } from '../../../config/limits/movies.ts';
import { sentenceOf } from '../api/request.ts';
import { savedArea } from '../model/saved-movie.ts';
import { Button, SignalChoice, Status, setter } from '../page/controls.tsx';
import { Failure } from '../page/loading.tsx';
import { chosenArea } from '../panels/area.tsx';
import { camera, shown } from '../store/state.ts';
import { saving } from '../texts/more.ts';
import { utc } from '../texts/times.ts';
import { fill, numberText, texts } from '../texts.ts';
import { MOST_FRAMES } from '../time/moments.ts';
import { SPEEDS, speed } from '../time/play.ts';
import { loop } from '../time/range.ts';
import { save } from './files.ts';

type State =
  | { readonly kind: 'idle' | 'cancelled' }
  | { readonly kind: 'busy'; readonly done: number; readonly total: number }
  | { readonly kind: 'done'; readonly sentence: string }
  | { readonly kind: 'failed'; readonly sentence: string };

const state = signal<State>({ kind: 'idle' });
let work = new AbortController();

const MEGABYTE = 1e6;

async function start(): Promise<void> {
  const area = chosenArea(camera.value);
  if (!area || !shown.value) return;
  work = new AbortController();
  const { signal } = work;
  const rate = speed.value;
  state.value = { kind: 'busy', done: 0, total: 0 };
  try {
    const { saveMovie } = await import('./save.ts');
    const onProgress = (done: number, total: number) => setter(state)({ kind: 'busy', done, total });
    const { file, name, frames, width, height } = await saveMovie({ area, rate, signal, onProgress });
    save(file, name);
    const facts = { seconds: numberText(frames / rate, 3), megabytes: numberText(file.size / MEGABYTE, 2) };
    const sentence = fill(saving.saved, { frames, width, height, ...facts });
    state.value = { kind: 'done', sentence };
  } catch (error) {
    state.value = signal.aborted ? { kind: 'cancelled' } : { kind: 'failed', sentence: sentenceOf(error) };
  }
}

function Progress({ done, total }: { readonly done: number; readonly total: number }) {
  return (
    <>
      <progress max={Math.max(total, 1)} value={done} aria-label={saving.progress} />
      <p class="quiet">{total === 0 ? saving.finding : fill(saving.imageOf, { done, total })}</p>
    </>
  );
}

function SaveForm() {
  // The pixels follow the shape of the view.
  const area = chosenArea(camera.value);
  const { width, height } = area ? savedArea({ ...area.size, scale: area.camera.scale }) : { width: 0, height: 0 };
  const now = state.value;
  const isBusy = now.kind === 'busy';
  return (
    <>
      <p id="saved-range">
        {loop.value ? fill(saving.range, { start: utc(loop.value.startMs), end: utc(loop.value.endMs) }) : saving.noRange}
      </p>
      <SignalChoice
        id="saved-speed"
        label={texts.time.speed}
        of={speed}
        options={SPEEDS.map((one) => [one as number, fill(texts.time.perSecond, { frames: one })] as const)}
      />
      <p class="quiet">
        {fill(texts.make.pixels, { width, height })}. {fill(saving.limits, { frames: MOST_FRAMES, side: SAVED_MOVIE.sidePixels })}
      </p>
      <Button
        label={isBusy ? saving.cancel : saving.act}
        act={() => (isBusy ? work.abort() : void start())}
        class={isBusy ? '' : 'primary'}
        id="save-movie"
      />
      {isBusy && <Progress {...now} />}
      <Status id="saved">
        {now.kind === 'cancelled' && saving.cancelled}
        {now.kind === 'done' && now.sentence}
      </Status>
      {now.kind === 'failed' && <Failure sentences={[saving.failed, now.sentence]} retry={() => void start()} />}
    </>
  );
}

export function SaveMovie() {
  return (
    <section aria-labelledby="save">
      <h3 id="save">{saving.title}</h3>
      {'VideoEncoder' in window ? <SaveForm /> : <p class="quiet">{saving.unsupported}</p>}
    </section>
  );
}
