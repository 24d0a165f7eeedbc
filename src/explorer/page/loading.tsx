// Loading of what a component shows: its state, its failures, and components whose module loads when they are first shown.
import { useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { delay } from '../../platform/util/retry.ts';
import { loadCatalogue } from '../api/catalogue.ts';
import { mayPass, offline, sentenceOf } from '../api/request.ts';
import { isMoving, sources } from '../store/state.ts';
import { texts } from '../texts.ts';
import { Button, Status } from './controls.tsx';

export interface Loaded<T> {
  /** What has loaded last, with its key, which may be an earlier one; null before. */
  readonly last: { readonly key: string; readonly value: T } | null;
  /** What has loaded for the present key; null before. */
  readonly value: T | null;
  /** Whether neither a value for the present key nor a failure has come yet. */
  readonly isLoading: boolean;
  readonly failure: string | null;
  /** Whether another attempt with the same key may succeed. */
  readonly isPassing: boolean;
  readonly retry: () => void;
}

/** The list of sources, which loads when a panel first needs it. */
export function useCatalogue(): Pick<Loaded<void>, 'failure' | 'retry'> {
  return useLoaded(sources.value === null ? 'catalogue' : '', async () => {
    sources.value = await loadCatalogue();
  });
}

/** A value as it was before what moves began to move. */
export function useStill<T>(value: T): T {
  const still = useRef(value);
  if (!isMoving.value) still.current = value;
  return still.current;
}

const NO_FAILURE = { failure: null, isPassing: false };

/**
 * Loads again whenever the key changes, once it has rested for `restMs`; null waits for a number. A failure keeps what has loaded before.
 * An empty key loads nothing.
 */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>, restMs: number | null = 0): Loaded<T> {
  const last = useSignal<Loaded<T>['last']>(null);
  const failure = useSignal<Pick<Loaded<T>, 'failure' | 'isPassing'>>(NO_FAILURE);
  const [attempts, retry] = useReducer<number, void>((count) => count + 1, 0);
  useEffect(() => {
    failure.value = NO_FAILURE;
    if (key === '' || restMs === null) return;
    const loading = new AbortController();
    (restMs > 0 ? delay(restMs, loading.signal).then(() => load(loading.signal)) : load(loading.signal)).then(
      (value) => {
        if (!loading.signal.aborted) last.value = { key, value };
      },
      (error: unknown) => {
        if (loading.signal.aborted) return;
        failure.value = { failure: sentenceOf(error), isPassing: mayPass(error) };
      },
    );
    return () => loading.abort();
  }, [key, attempts, restMs === null]);
  const isThere = last.value?.key === key;
  const isLoading = key !== '' && !isThere && failure.value.failure === null;
  return { last: last.value, value: isThere ? last.value!.value : null, isLoading, ...failure.value, retry };
}

interface ProgressProps {
  readonly label: string;
  readonly done: number;
  readonly total: number | null;
  readonly children: ComponentChildren;
}

interface FailureProps {
  /** Sentences about what failed and why; empty ones are left out. */
  readonly sentences: readonly (string | null | undefined | false)[];
  /** What the button does, and its label: unset, to try again. */
  readonly retry: () => void;
  readonly label?: string;
}

export const Failure = ({ sentences, retry, label = texts.retry }: FailureProps) => (
  <div class="failure" role="alert">
    <p>{sentences.filter(Boolean).join(' ')}</p>
    <Button label={label} act={retry} />
  </div>
);

/** How far work is, `total` being null before that is known, with a sentence. */
export const Progress = ({ label, done, total, children }: ProgressProps) => (
  <>
    <progress aria-label={label} {...(total === null ? {} : { value: done, max: total })} />
    <Status>{children}</Status>
  </>
);

interface LazyProps {
  readonly name: string;
  readonly load: () => Promise<ComponentType>;
  /** Whether the place stays empty while the module loads. */
  readonly isSilent?: boolean;
}

const known = new Map<string, ComponentType>();

export function Lazy({ name, load, isSilent = false }: LazyProps) {
  const [first] = useState(() => known.get(name));
  const { last, failure, retry } = useLoaded(first ? '' : name, async () => {
    const component = await load().catch(offline);
    known.set(name, component);
    return { component };
  });
  const Content = first ?? last?.value.component;
  if (Content) return <Content />;
  if (failure) return <Failure sentences={[texts.failures.part, failure]} retry={retry} />;
  return isSilent ? null : <p class="quiet">{texts.loadingPart}</p>;
}
