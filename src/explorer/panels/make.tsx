// Make: a picture of the view or of a part of it, the played range as a movie that this browser encodes, and movies of the service.
import { signal, useSignal } from '@preact/signals';
import { pathOf } from '../../../clients/typescript/core.ts';
import type { Schemas } from '../../../clients/typescript/operations.ts';
import { MOVIE_LIMITS, SAVED_MOVIE } from '../../platform/limits/movies.ts';
import { DAY_MS, HOUR_MS } from '../../platform/util/durations.ts';
import { formatIso } from '../../sun/time.ts';
import { sceneOf } from '../api/pictures.ts';
import { call, requestJson, sentenceOf } from '../api/request.ts';
import { MOVIE_SIDES, movieArea, PLAYBACKS, savedArea, USUAL_PLAYBACK, USUAL_SIDE } from '../model/movie-form.ts';
import type { Range } from '../model/timeline.ts';
import { MovieItem, myMovies } from '../movies/movie-item.tsx';
import { Away, Button, Check, Choice, named, SignalChoice, Status, setTo, setter } from '../page/fields.tsx';
import { Failure, useCatalogue, useLoaded } from '../page/loading.tsx';
import { save } from '../saving/files.ts';
import { baseImage, baseSourceId, dialog, hasCredit, isMoving, shown, sources } from '../store/state.ts';
import { failureTexts, saving, makeTexts as words } from '../texts/more.ts';
import { decimal, durationText, fill, numberText, texts, utc } from '../texts.ts';
import { MOST_FRAMES } from '../time/moments.ts';
import { SPEEDS, speed } from '../time/play.ts';
import { loop } from '../time/range.ts';
import { RangeFields } from '../time/time-input.tsx';
import { AreaChoice, chosenArea } from './area.tsx';

const SPANS_MS = [HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS, DAY_MS, 3 * DAY_MS, 7 * DAY_MS, 27 * DAY_MS];
const FRAMES = [24, 48, 96, 200, MOVIE_LIMITS.frames.most];

const spanMs = signal(DAY_MS);
/** Times of its own; null for the span around the shown image. */
const ownRange = signal<Range | null>(null);
const frames = signal(48);
const playback = signal(USUAL_PLAYBACK);
const side = signal<number>(USUAL_SIDE);
const followsRotation = signal(false);

function movieRange(): Range | null {
  const { view, isNewest } = shown.value ?? {};
  if (ownRange.value || !view) return ownRange.value;
  const source = sources.value?.find(({ sourceId }) => sourceId === baseSourceId.value);
  const newestMs = isNewest && baseImage.value ? Date.parse(baseImage.value.takenAt) : source?.endMs;
  const endMs = Math.min(view.atMs + spanMs.value / 2, Math.max(newestMs ?? Number.POSITIVE_INFINITY, view.atMs));
  return { startMs: endMs - spanMs.value, endMs };
}

const OWN = 0;

function Times() {
  const range = movieRange();
  if (!range) return null;
  const pick = (span: number) => {
    ownRange.value = span === OWN ? range : null;
    if (span !== OWN) spanMs.value = span;
  };
  return (
    <>
      <Choice
        label={words.span}
        value={ownRange.value ? OWN : spanMs.value}
        options={[...named(SPANS_MS, spanText), [OWN, words.ownRange]]}
        pick={pick}
      />
      <RangeFields name="movie" range={range} set={setter(ownRange)} />
    </>
  );
}

const spanText = (ms: number) =>
  ms < DAY_MS ? fill(words.spanHours, { count: ms / HOUR_MS }) : fill(words.spanDays, { count: ms / DAY_MS });

function playbackText(one: (typeof PLAYBACKS)[number]): string {
  return 'frameRate' in one ? fill(words.rateOf, { count: one.frameRate }) : fill(words.lengthOf, { count: one.movieLength });
}

function MovieFields() {
  // The newest images of the sources.
  useCatalogue();
  // The pixels of the movie follow the shape of the view.
  const area = chosenArea();
  const sideText = (longest: number) => {
    if (!area) return '';
    const { width, height } = movieArea(area, longest).size;
    return `${width} × ${height}`;
  };
  return (
    <>
      <Times />
      <div class="fields">
        <SignalChoice label={words.frames} of={frames} options={named(FRAMES, (count) => fill(words.framesOf, { count }))} />
        <SignalChoice
          id="movie-speed"
          label={words.rate}
          of={playback}
          options={PLAYBACKS.map((one, i) => [i, playbackText(one)])}
        />
        <SignalChoice id="movie-size" label={words.size} of={side} options={named<number>(MOVIE_SIDES, sideText)} />
      </div>
      <Check label={words.follow} isOn={followsRotation.value} set={setter(followsRotation)} />
    </>
  );
}

/** Time for which view and options have to rest before they are estimated. */
const REST_MS = 500;

/** Parameters of the movie of the present view and fields; null without one. */
function requested() {
  const [pictured, area, range] = [shown.value, chosenArea(), movieRange()];
  if (!pictured || !area || !range || range.endMs <= range.startMs) return null;
  return {
    ...sceneOf(pictured, movieArea(area, side.value)),
    startTime: formatIso(range.startMs),
    endTime: formatIso(range.endMs),
    maxFrames: frames.value,
    ...PLAYBACKS[playback.value]!,
    credit: hasCredit.value,
    followViewport: followsRotation.value,
    // The area is that of the shown time, not that of the first frame.
    reqObservationDate: followsRotation.value ? formatIso(pictured.view.atMs) : undefined,
    format: 'mp4' as const,
  };
}

/** What the movie would be, before it is queued; follows the view when that has been at rest. */
function useEstimate() {
  const movie = isMoving.value ? null : requested();
  const path = movie ? pathOf('estimateMovie', movie) : '';
  const estimate = async (signal: AbortSignal) => (await requestJson<Schemas['MovieEstimate']>(path, { signal })).body;
  return { ...useLoaded(path, estimate, REST_MS), path };
}

function Estimate({ path, last, failure, isPassing, retry }: ReturnType<typeof useEstimate>) {
  if (failure && isPassing) return <Failure sentences={[words.noEstimate, failure]} retry={retry} />;
  if (failure) return null;
  if (!last) return <p class="quiet">{path ? words.estimating : ''}</p>;
  const { frames, duration, width, height, eta, queue, exists, message } = last.value;
  return (
    <p class="quiet" id="estimate" role="status" aria-busy={last.key !== path}>
      {fill(words.estimate, { frames, seconds: decimal(duration.toFixed(1)), width, height })}{' '}
      {exists ? words.exists : fill(words.expected, { eta: durationText(eta), count: queue })} {message}
    </p>
  );
}

function Movies() {
  const failure = useSignal<string | null>(null);
  const isBusy = useSignal(false);
  const estimate = useEstimate();
  const refusal = estimate.isPassing ? null : estimate.failure;
  const queued = useSignal<string | null>(null);
  const make = async () => {
    const [movie, pictured] = [requested(), shown.value];
    if (!movie || !pictured) return;
    isBusy.value = true;
    failure.value = null;
    try {
      const { id, message } = await call('queueMovie', movie);
      const name = pictured.images.flatMap((image) => image?.name ?? []).join(', ');
      queued.value = id;
      myMovies.remember({ id, name, atMs: pictured.view.atMs, ...(message ? { message } : {}) });
    } catch (error) {
      failure.value = sentenceOf(error);
    }
    isBusy.value = false;
  };
  return (
    <section aria-labelledby="movie">
      <h3 id="movie">{words.movie}</h3>
      <MovieFields />
      <Estimate {...estimate} />
      <Button
        label={words.make}
        act={make}
        class="primary"
        id="make-movie"
        aria-describedby="no-movie"
        disabled={isBusy.value || refusal !== null || requested() === null}
      />
      <p id="no-movie" class="field-problem" role="status">
        {refusal && `${words.noEstimate} ${refusal}`}
      </p>
      {failure.value && <Failure sentences={[words.noMovie, failure.value]} retry={() => void make()} />}
      {myMovies.items.value.length > 0 && <h4>{words.mine}</h4>}
      <ul class="list movies">
        {myMovies.items.value.map((movie) => (
          <MovieItem key={movie.id} movie={movie} isNew={movie.id === queued.value} />
        ))}
      </ul>
    </section>
  );
}

/** How many images of the movie that is saved are written; null while none is. */
const written = signal<{ readonly done: number; readonly total: number } | null>(null);
const said = signal('');
const saveFailure = signal<string | null>(null);
let work = new AbortController();

const MEGABYTE = 1e6;

async function start(): Promise<void> {
  const area = chosenArea();
  if (!area || !shown.value) return;
  work = new AbortController();
  const { signal } = work;
  const rate = speed.value;
  written.value = { done: 0, total: 0 };
  said.value = '';
  saveFailure.value = null;
  try {
    const { saveMovie } = await import('../saving/save.ts');
    const onProgress = (done: number, total: number) => setter(written)({ done, total });
    const { file, name, frames, width, height } = await saveMovie({ area, rate, signal, onProgress });
    save(file, name);
    const facts = { seconds: numberText(frames / rate, 3), megabytes: numberText(file.size / MEGABYTE, 2) };
    said.value = fill(saving.saved, { frames, width, height, ...facts });
  } catch (error) {
    if (signal.aborted) said.value = saving.cancelled;
    else saveFailure.value = sentenceOf(error);
  }
  written.value = null;
}

function SaveForm() {
  // The pixels follow the shape of the view.
  const area = chosenArea();
  const { width, height } = area ? savedArea(area).size : { width: 0, height: 0 };
  const now = written.value;
  return (
    <>
      <p id="saved-range">
        {loop.value ? fill(saving.range, { start: utc(loop.value.startMs), end: utc(loop.value.endMs) }) : saving.noRange}
      </p>
      <SignalChoice
        id="saved-speed"
        label={texts.time.speed}
        of={speed}
        options={named<number>(SPEEDS, (frames) => fill(texts.time.perSecond, { frames }))}
      />
      <p class="quiet">
        {fill(texts.make.pixels, { width, height })}. {fill(saving.limits, { frames: MOST_FRAMES, side: SAVED_MOVIE.sidePixels })}
      </p>
      <Button
        label={now ? saving.cancel : saving.act}
        act={() => (now ? work.abort() : void start())}
        class={now ? '' : 'primary'}
        id="save-movie"
      />
      {now && (
        <>
          <progress max={now.total || 1} value={now.done} aria-label={saving.progress} />
          {/* Not announced, as each of many images a second would be. */}
          <p class="quiet">{now.total === 0 ? saving.finding : fill(saving.imageOf, { done: now.done, total: now.total })}</p>
        </>
      )}
      <Status id="saved">{said.value}</Status>
      {saveFailure.value && <Failure sentences={[saving.failed, saveFailure.value]} retry={() => void start()} />}
    </>
  );
}

function SharedMovies() {
  const { last, failure, retry } = useLoaded('shared', (signal) => call('getUserVideos', { num: 6 }, signal));
  const movies: readonly Schemas['UserVideo'][] = Array.isArray(last?.value) ? last.value : [];
  if (movies.length === 0 && !failure) return null;
  return (
    <section aria-labelledby="shared">
      <h3 id="shared">{words.shared}</h3>
      {failure && <Failure sentences={[failureTexts.sharedMovies, failure]} retry={retry} />}
      <ul class="list">
        {movies.map(({ id, title, url }) => (
          <li key={id}>
            <Away label={title} href={/^https?:/.test(url) ? url : '#'} />
          </li>
        ))}
      </ul>
    </section>
  );
}

export const Make = () => (
  <>
    <AreaChoice />
    <p>
      <Button label={texts.make.picture} act={setTo(dialog, 'picture')} class="primary" id="save-picture" />
    </p>
    <Check label={saving.picture.credit} isOn={hasCredit.value} set={setter(hasCredit)} />
    <section aria-labelledby="save">
      <h3 id="save">{saving.title}</h3>
      {'VideoEncoder' in window ? <SaveForm /> : <p class="quiet">{saving.unsupported}</p>}
    </section>
    <Movies />
    <SharedMovies />
  </>
);
