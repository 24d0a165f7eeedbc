// Work that fails or hangs for a moment, such as an HTTP request: time limits, repetition with growing waits, a cool-down.
import { SECOND_MS } from './durations.ts';
import { Service } from './service.ts';

export const TIMED_OUT = Symbol('timed out');

/** The result of `work`, or TIMED_OUT when it has not settled within `ms` milliseconds. The work itself continues. */
export const withTimeout = <T>(work: Promise<T>, ms: number): Promise<T | typeof TIMED_OUT> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(TIMED_OUT), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });

/** Settles after `ms` milliseconds. @throws the reason of the signal when it is aborted before */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal?.reason);
  signal?.addEventListener('abort', abort);
  await withTimeout(promise, ms).finally(() => signal?.removeEventListener('abort', abort));
}

/** Suppresses retries for a time after a failure. Calls are refused rather than queued. */
export class Cooldown extends Service<{ readonly clock: () => number }> {
  #endsAtMs = Number.NEGATIVE_INFINITY;

  get isActive(): boolean {
    return this.ports.clock() < this.#endsAtMs;
  }

  start(ms: number): void {
    this.#endsAtMs = this.ports.clock() + ms;
  }

  end(): void {
    this.#endsAtMs = Number.NEGATIVE_INFINITY;
  }
}

export interface RetryOptions {
  /** Attempts in all; unlimited unless given. */
  readonly attempts?: number;
  /** Milliseconds after the start within which further attempts begin; unlimited unless given. */
  readonly forMs?: number;
  /** Milliseconds before the second attempt, doubled before each further one. */
  readonly firstMs: number;
  /** Longest wait in milliseconds, before its variation. */
  readonly longestMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Whether another attempt can succeed; always unless given. */
  readonly isTransient?: (error: unknown) => boolean;
  /** Observes the failures that are followed by another attempt. */
  readonly onRetry?: (error: unknown, waitMs: number) => void;
}

/** `firstMs`, doubled for each attempt after the first, up to `longestMs`. */
export const doubled = (attempt: number, firstMs: number, longestMs = Number.POSITIVE_INFINITY): number =>
  Math.min(firstMs * 2 ** (attempt - 1), longestMs);

/** Delay after `attempt` failed attempts: doubled for each, and varied by a quarter so that clients do not return together. */
export const backoffMs = (attempt: number, firstMs: number, longestMs?: number): number =>
  doubled(attempt, firstMs, longestMs) * (0.75 + Math.random() / 2);

/** Milliseconds of a Retry-After header (RFC 9110, 10.2.3), which has seconds or a date. Null without a valid one. */
export function retryAfterMs(value: string | null, nowMs: number): number | null {
  if (value === null) return null;
  const text = value.trim();
  const waitMs = /^\d{1,9}$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - nowMs;
  return Number.isNaN(waitMs) ? null : Math.max(waitMs, 0);
}

/** An error with which the other side asks for a wait, as with Retry-After; null where it names none. */
type Asking = { readonly retryAfterMs?: number | null };

/**
 * The result of the first attempt that succeeds. An error with `retryAfterMs` is followed by that wait.
 * @param work Receives the number of the attempt, from 1
 * @throws the error of the last attempt, or the reason of the signal when it is aborted during a wait
 */
export async function retry<T>(work: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { attempts, forMs, firstMs, longestMs, signal, isTransient, onRetry } = options;
  const until = forMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + forMs;
  for (let attempt = 1; ; attempt += 1) {
    let waitMs: number;
    try {
      return await work(attempt);
    } catch (error) {
      const { retryAfterMs: asked = null } = error as Asking;
      waitMs = asked === null ? backoffMs(attempt, firstMs, longestMs) : Math.min(asked, longestMs ?? asked);
      const isOver = attempt === attempts || performance.now() + waitMs > until || signal?.aborted;
      if (isOver || isTransient?.(error) === false) throw error;
      onRetry?.(error, waitMs);
    }
    await delay(waitMs, signal);
  }
}
