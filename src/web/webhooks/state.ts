// State of the page of webhooks.
import { signal } from '@preact/signals';
import { type Hook, RequestError, type WebhookRequests } from './requests.ts';

/** Requests with the token; null before it has been accepted. */
export const requests = signal<WebhookRequests | null>(null);

export const hooks = signal<readonly Hook[]>([]);

/** The result of the last action. */
export const message = signal<{ readonly sentence: string; readonly isGood: boolean }>({ sentence: '', isGood: true });

/** What an action tells the operator: a sentence about a success, a failure, or nothing. */
export type Told = string | { readonly failure: string } | null;

/** Performs an action of the operator, tells its result, and lists the webhooks anew. */
export async function perform(action: (service: WebhookRequests) => Promise<Told>): Promise<void> {
  message.value = { sentence: '', isGood: true };
  try {
    const told = await action(requests.value!);
    const isGood = typeof told === 'string' || told === null;
    message.value = { sentence: isGood ? (told ?? '') : told.failure, isGood };
    if (requests.value) hooks.value = await requests.value.list();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    message.value = { sentence: error.message, isGood: false };
  }
}
