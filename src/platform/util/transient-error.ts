import { causesOf } from './causes.ts';

/** A failure after which the same call can succeed. */
export class TransientError extends Error {
  override readonly name = 'TransientError';
}

/** Texts of D1 and of lost connections, and codes of R2: 10001 internal, 10043 unavailable, 10054 disconnected, 10058 too many requests. */
const TEXTS =
  /network connection lost|caused object to be reset|exceeded timeout|is overloaded|too many requests queued|requests queued for too long|due to transient issue|code was updated|\((?:10001|10043|10054|10058)\)/i;

/** Whether an error, or one of its causes, is a failure of storage that passes by itself. Durable Objects mark theirs. */
export function isTransient(error: unknown): boolean {
  for (const cause of causesOf(error)) {
    const { retryable, overloaded } = cause as { retryable?: unknown; overloaded?: unknown };
    if (cause instanceof TransientError || retryable === true || overloaded === true || TEXTS.test(cause.message)) return true;
  }
  return false;
}
