// POST to the receiver of a webhook, of which status and Retry-After are read: no redirect is followed, and the body is discarded.
import { WEBHOOKS } from '../../platform/limits/webhooks.ts';
import { SECOND_MS } from '../../platform/util/durations.ts';
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import { retryAfterMs } from '../../platform/util/retry.ts';
import type { Answer } from './webhook.ts';

interface SignedMessage {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly nowMs: number;
  readonly responseMs?: number;
}

export type PostMessage = (address: URL, message: SignedMessage) => Promise<Answer>;

/** Never rejects. */
export const postMessage: PostMessage = async (address, { body, headers, nowMs, responseMs = WEBHOOKS.responseMs }) => {
  const signal = AbortSignal.timeout(responseMs);
  try {
    const response = await fetch(address, {
      method: 'POST',
      body,
      headers: { ...headers, 'Content-Type': 'application/json', 'User-Agent': SERVICE_NAME },
      redirect: 'manual',
      signal,
    });
    // The body may be endless, and its connection may fail while it is discarded.
    await response.body?.cancel().catch(() => undefined);
    const { status } = response;
    if (response.ok) return { status, sentence: null, retryAfterMs: null };
    return { status, sentence: refusal(status), retryAfterMs: retryAfterMs(response.headers.get('Retry-After'), nowMs) };
  } catch {
    const sentence = signal.aborted
      ? `The receiver did not respond within ${responseMs / SECOND_MS} seconds.`
      : 'The receiver could not be reached, or closed the connection.';
    return { status: null, sentence, retryAfterMs: null };
  }
};

function refusal(status: number): string {
  if (status >= 300 && status < 400) return `The receiver redirects (status ${status}), which is not followed.`;
  return `The receiver responded with status ${status}.`;
}
