// Loading of what a component shows.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { RequestError, sentenceOf } from '../api/request.ts';

export interface Loaded<T> {
  /** What has loaded last, with its key, which may be an earlier one; null before. */
  readonly last: { readonly key: string; readonly value: T } | null;
  /** Sentence of the failure of the last attempt, or null. */
  readonly failure: string | null;
  /** Whether another attempt with the same key may succeed. */
  readonly isPassing: boolean;
  readonly retry: () => void;
}

const NO_FAILURE = { failure: null, isPassing: false };

/** Loads again whenever the key changes. A failure keeps what has loaded before. An empty key loads nothing. */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const last = useSignal<Loaded<T>['last']>(null);
  const failure = useSignal<Pick<Loaded<T>, 'failure' | 'isPassing'>>(NO_FAILURE);
  const attempt = useSignal(0);
  const attempts = attempt.value;
  useEffect(() => {
    failure.value = NO_FAILURE;
    if (key === '') return;
    const loading = new AbortController();
    load(loading.signal).then(
      (value) => {
        if (!loading.signal.aborted) last.value = { key, value };
      },
      (error: unknown) => {
        if (loading.signal.aborted) return;
        failure.value = { failure: sentenceOf(error), isPassing: !(error instanceof RequestError) || error.isPassing };
      },
    );
    return () => loading.abort();
  }, [key, attempts]);
  const retry = () => {
    attempt.value += 1;
  };
  return { last: last.value, ...failure.value, retry };
}
