// One movie: its place in the queue and progress, then its player and files.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { retry } from '../../platform/util/retry.ts';
import { type MovieStatus, moviePath, movieStatus } from '../api/pictures.ts';
import { mayPass, sentenceOf } from '../api/request.ts';
import { Download, IconButton, setter } from '../page/fields.tsx';
import { Failure, Progress, useLoaded } from '../page/loading.tsx';
import { type KeptItem, keptList } from '../store/kept-list.ts';
import { durationText, fill, texts, utc } from '../texts.ts';

/** The movies that this browser has requested, kept in its storage. */
export const myMovies = keptList('helioedge.movies', 20);

/** Pauses after failed requests in a row, where the service does not say how long. */
const PAUSES = { firstMs: 2_000, longestMs: 60_000 };
export const FINISHED = 2;
const FAILED = 3;
const words = texts.make;

const isOver = ({ status }: MovieStatus): boolean => status === FINISHED || status === FAILED;

/** Follows a movie until it is over: each request waits in the service for the next change. Failures that may pass are repeated. */
export function useStatus(id: string) {
  const status = useSignal<MovieStatus | null>(null);
  /** The failure after which a request is repeated. */
  const repeated = useSignal<string | null>(null);
  const { failure, retry: again } = useLoaded(id, async (signal) => {
    const options = { ...PAUSES, signal, isTransient: mayPass, onRetry: (error: unknown) => setter(repeated)(sentenceOf(error)) };
    repeated.value = null;
    let known: MovieStatus | null = null;
    while (!(known && isOver(known))) {
      // The first request after a failure does not wait, so that the failure ends.
      known = await retry((attempt) => movieStatus(id, known !== null && attempt === 1, signal), options);
      signal.throwIfAborted();
      status.value = known;
      repeated.value = null;
    }
  });
  const isPassing = failure === null && repeated.value !== null;
  return { status: status.value, failure: failure ?? repeated.value, isPassing, retry: again };
}

function stateText({ status, eta = 0, queuePosition = 0, currentFrame = 0, numFrames = 0 }: MovieStatus): string {
  return status === 0
    ? fill(words.waiting, { place: queuePosition + 1, eta: durationText(eta) })
    : fill(words.running, { frame: currentFrame, frames: numFrames, eta: durationText(eta) });
}

type PlayerProps = Pick<KeptItem, 'id' | 'name'> & { readonly status: MovieStatus };

export const Player = ({ id, name, status: { width, height, thumbnails } }: PlayerProps) => (
  <video
    controls
    loop
    muted
    playsInline
    preload="metadata"
    width={width}
    height={height}
    poster={thumbnails?.full && new URL(thumbnails.full).pathname}
    aria-label={fill(words.movieOf, { name })}
  >
    <source src={moviePath(id, 'mp4')} type="video/mp4" />
    <source src={moviePath(id, 'webm')} type="video/webm" />
  </video>
);

/** What is known of a movie that is not there. */
export const Unfinished = ({ status, failure, isPassing, retry }: ReturnType<typeof useStatus>) => (
  <>
    {status === null && !failure && <p class="quiet">{texts.loadingPart}</p>}
    {status && status.status < FINISHED && (
      <Progress label={words.progress} done={status.progress ?? 0} total={1}>
        {stateText(status)}
      </Progress>
    )}
    {status?.status === FAILED && <p role="alert">{status.error ?? words.failed}</p>}
    {failure && <Failure sentences={[words.noStatus, failure, isPassing && words.repeated]} retry={retry} />}
  </>
);

export function MovieItem({ movie, isNew }: { readonly movie: KeptItem; readonly isNew: boolean }) {
  const followed = useStatus(movie.id);
  const { status } = followed;
  const item = useRef<HTMLLIElement>(null);
  const state = status?.status;
  useEffect(() => {
    if (isNew && state !== FINISHED) item.current?.scrollIntoView({ block: 'nearest' });
  }, [isNew, state]);
  return (
    <li class="movie" ref={item}>
      <p>
        <strong>{movie.name}</strong> <span class="quiet">{utc(movie.atMs)}</span>
        <IconButton icon="close" label={fill(words.forget, { name: movie.name })} act={() => myMovies.forget(movie.id)} />
      </p>
      {movie.message && <p class="quiet">{movie.message}</p>}
      <Unfinished {...followed} />
      {status?.status === FINISHED && <Player id={movie.id} name={movie.name} status={status} />}
      <p class="links">
        {state === FINISHED && <Download label="MP4" href={moviePath(movie.id, 'mp4')} />}
        {state === FINISHED && <Download label="WebM" href={moviePath(movie.id, 'webm')} />}
        <a href={`/movie/${movie.id}`}>{words.page}</a>
      </p>
    </li>
  );
}
