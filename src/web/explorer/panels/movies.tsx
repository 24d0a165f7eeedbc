// Movies of this browser: a form for a new one, and the progress, player and download of each.
import { useSignal } from '@preact/signals';
import { MOVIE_LIMITS } from '../../../config/limits/movies.ts';
import { DAY_MS, HOUR_MS } from '../../../util/durations.ts';
import { delay } from '../../../util/retry.ts';
import { estimateOf, estimatePath, type MovieOptions, queueMovie } from '../api/pictures.ts';
import { sentenceOf } from '../api/request.ts';
import { Check, Choice, setter } from '../page/controls.tsx';
import { Failure, useLoaded } from '../page/loading.tsx';
import { durationText } from '../page/numbers.ts';
import { camera, isPlaying, shown } from '../store/state.ts';
import { texts } from '../texts.ts';
import { chosenArea } from './area.tsx';
import { MovieItem } from './movie-item.tsx';
import { myMovies, remember } from './my-movies.ts';

const SPANS_MS = [HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS, DAY_MS, 3 * DAY_MS, 7 * DAY_MS, 27 * DAY_MS];
const FRAMES = [24, 48, 96, 200, MOVIE_LIMITS.frames.most];
const FRAME_RATES = [8, 15, 24];
/** Longest side of a movie, pixels. */
const MOST_PIXELS = 1920;
/** Time for which view and options have to rest before they are estimated. */
const REST_MS = 500;
const words = texts.make;

/** The area of the screen with even sides, reduced to the largest movie. */
function movieArea() {
  const area = chosenArea();
  if (!area) return null;
  const reduction = Math.max(1, Math.max(area.size.width, area.size.height) / MOST_PIXELS);
  const even = (side: number) => Math.round(side / reduction / 2) * 2;
  return {
    camera: { ...area.camera, scale: area.camera.scale * reduction },
    size: { width: even(area.size.width), height: even(area.size.height) },
  };
}

/** What the movie would be, before it is queued; follows the view when that has been at rest. */
function Estimate({ optionsFor }: { readonly optionsFor: (atMs: number) => MovieOptions }) {
  const view = shown.value?.view;
  // Moves of the view change the area.
  const area = camera.value && movieArea();
  const path = view && area && !isPlaying.value ? estimatePath(view, area, optionsFor(view.atMs)) : '';
  const { last, failure, isPassing, retry } = useLoaded(path, async (signal) => {
    await delay(REST_MS, signal);
    return estimateOf(path, signal);
  });
  if (failure && isPassing) return <Failure sentences={[words.noEstimate, failure]} retry={retry} />;
  if (failure) return <p class="quiet">{`${words.noEstimate} ${failure}`}</p>;
  if (!last) return <p class="quiet">{words.estimating}</p>;
  const { frames, duration, width, height, eta, queue, message } = last.value;
  return (
    <p class="quiet" id="estimate" role="status" aria-busy={last.key !== path}>
      {words.estimate(frames, duration, width, height)} {words.expected(durationText(eta), queue)} {message}
    </p>
  );
}

export function Movies() {
  const spanMs = useSignal(DAY_MS);
  const frames = useSignal(48);
  const frameRate = useSignal(15);
  const followsRotation = useSignal(false);
  const failure = useSignal<string | null>(null);
  const isBusy = useSignal(false);
  const optionsFor = (atMs: number): MovieOptions => ({
    startMs: atMs - spanMs.value / 2,
    endMs: atMs + spanMs.value / 2,
    frames: frames.value,
    frameRate: frameRate.value,
    followsRotation: followsRotation.value,
  });
  const make = async () => {
    const [view, area] = [shown.value?.view, movieArea()];
    if (!view || !area) return;
    isBusy.value = true;
    failure.value = null;
    try {
      const { id, message } = await queueMovie(view, area, optionsFor(view.atMs));
      const name = shown.value!.images.flatMap((image) => image?.name ?? []).join(', ');
      remember({ id, name, atMs: view.atMs, ...(message ? { message } : {}) });
    } catch (error) {
      failure.value = sentenceOf(error);
    }
    isBusy.value = false;
  };
  return (
    <section aria-labelledby="movie">
      <h3 id="movie">{words.movie}</h3>
      <div class="fields">
        <Choice
          label={words.span}
          value={spanMs.value}
          options={SPANS_MS.map((one) => [one, words.spanOf(one)] as const)}
          pick={setter(spanMs)}
        />
        <Choice
          label={words.frames}
          value={frames.value}
          options={FRAMES.map((one) => [one, words.framesOf(one)] as const)}
          pick={setter(frames)}
        />
        <Choice
          label={words.rate}
          value={frameRate.value}
          options={FRAME_RATES.map((one) => [one, words.rateOf(one)] as const)}
          pick={setter(frameRate)}
        />
      </div>
      <Check label={words.follow} isOn={followsRotation.value} set={setter(followsRotation)} />
      <Estimate optionsFor={optionsFor} />
      <button type="button" class="primary" id="make-movie" disabled={isBusy.value || shown.value === null} onClick={make}>
        {words.make}
      </button>
      {failure.value && <Failure sentences={[words.noMovie, failure.value]} retry={() => void make()} />}
      {myMovies.value.length > 0 && <h4>{words.mine}</h4>}
      <ul class="list movies">
        {myMovies.value.map((movie) => (
          <MovieItem key={movie.id} movie={movie} />
        ))}
      </ul>
    </section>
  );
}
