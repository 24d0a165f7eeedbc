// Movies of this browser: a form for a new one, and the progress, player and download of each.

import { useSignal } from '@preact/signals';
import { estimateOf, estimatePath, queueMovie } from '../api/pictures.ts';
import { sentenceOf } from '../api/request.ts';
import { Button } from '../page/controls.tsx';
import { Failure, useLoaded } from '../page/loading.tsx';
import { durationText } from '../page/numbers.ts';
import { camera, isMoving, shown } from '../store/state.ts';
import { decimal, fill, texts } from '../texts.ts';
import { MovieItem, myMovies } from './movie-item.tsx';
import { areaOfMovie, MovieFields, movieOptions, movieRange } from './movie-options.tsx';

/** Time for which view and options have to rest before they are estimated. */
const REST_MS = 500;
const words = texts.make;

function requested() {
  const [pictured, area, range] = [shown.value, areaOfMovie(), movieRange()];
  return pictured && area && range && range.endMs > range.startMs ? ([pictured, area, movieOptions(range)] as const) : null;
}

/** What the movie would be, before it is queued; follows the view when that has been at rest. */
function useEstimate() {
  // Moves of the view change the area.
  const movie = camera.value && !isMoving.value ? requested() : null;
  const path = movie ? estimatePath(...movie) : '';
  return { ...useLoaded(path, (signal) => estimateOf(path, signal), REST_MS), path };
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

export function Movies() {
  const failure = useSignal<string | null>(null);
  const isBusy = useSignal(false);
  const estimate = useEstimate();
  const refusal = estimate.isPassing ? null : estimate.failure;
  const queued = useSignal<string | null>(null);
  const make = async () => {
    const movie = requested();
    if (!movie) return;
    isBusy.value = true;
    failure.value = null;
    try {
      const { id, message } = await queueMovie(...movie);
      const name = shown.value!.images.flatMap((image) => image?.name ?? []).join(', ');
      queued.value = id;
      myMovies.remember({ id, name, atMs: movie[0].view.atMs, ...(message ? { message } : {}) });
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
