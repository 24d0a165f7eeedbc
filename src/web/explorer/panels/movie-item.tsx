// One movie: its place in the queue and progress, then its player and files.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type MovieStatus, moviePath, movieStatus } from '../api/pictures.ts';
import { Icon } from '../shell/icons.tsx';
import { durationText } from '../shell/numbers.ts';
import { utc } from '../texts/times.ts';
import { texts } from '../texts.ts';
import { forget, type MyMovie } from './my-movies.ts';

/** Pause after a failed request. */
const RETRY_MS = 5_000;
const FINISHED = 2;
const FAILED = 3;
const words = texts.make;

/** Follows a movie: each request waits in the service for the next change. */
function useStatus(id: string): MovieStatus | null {
  const state = useSignal<MovieStatus | null>(null);
  useEffect(() => {
    const following = new AbortController();
    const { signal } = following;
    const follow = async () => {
      let waits = false;
      while (!signal.aborted) {
        try {
          const next = await movieStatus(id, waits, signal);
          state.value = next;
          if (next.status !== 0 && next.status !== 1) return;
          waits = true;
        } catch {
          if (signal.aborted) return;
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        }
      }
    };
    void follow();
    return () => following.abort();
  }, [id, state]);
  return state.value;
}

function Progress({ status }: { readonly status: MovieStatus }) {
  const { progress = 0, eta = 0, queuePosition = 0, currentFrame = 0, numFrames = 0 } = status;
  const text =
    status.status === 0
      ? words.waiting(queuePosition, durationText(eta))
      : words.running(currentFrame, numFrames, durationText(eta));
  return (
    <>
      <progress max="1" value={progress} aria-label={words.progress} />
      <p class="quiet" role="status">
        {text}
      </p>
    </>
  );
}

function Player({ movie, status }: { readonly movie: MyMovie; readonly status: MovieStatus }) {
  return (
    <>
      <video
        controls
        loop
        muted
        playsInline
        preload="metadata"
        width={status.width}
        height={status.height}
        aria-label={words.movieOf(movie.name)}
      >
        <source src={moviePath(movie.id, 'mp4')} type="video/mp4" />
        <source src={moviePath(movie.id, 'webm')} type="video/webm" />
      </video>
      <p class="links">
        <a href={moviePath(movie.id, 'mp4')} download>
          MP4
        </a>
        <a href={moviePath(movie.id, 'webm')} download>
          WebM
        </a>
        <a href={`/v2/playMovie/?id=${movie.id}&format=mp4`}>{words.page}</a>
      </p>
    </>
  );
}

export function MovieItem({ movie }: { readonly movie: MyMovie }) {
  const status = useStatus(movie.id);
  return (
    <li class="movie">
      <p>
        <strong>{movie.name}</strong> <span class="quiet">{utc(movie.atMs)}</span>
        <button type="button" class="round" aria-label={words.forget(movie.name)} onClick={() => forget(movie.id)}>
          <Icon name="close" />
        </button>
      </p>
      {movie.message && <p class="quiet">{movie.message}</p>}
      {status === null && <p class="quiet">{texts.loading}</p>}
      {status && (status.status === 0 || status.status === 1) && <Progress status={status} />}
      {status?.status === FINISHED && <Player movie={movie} status={status} />}
      {(status?.status === FAILED || (status && status.status === undefined)) && (
        <p role="alert">{status.error ?? words.failed}</p>
      )}
    </li>
  );
}
