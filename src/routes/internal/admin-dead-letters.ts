// Messages that no consumer could work off: GET /admin/dead-letters lists the oldest, POST sends these to their queues again.
import { Hono } from 'hono';
import { queueOf } from '../../domain/status/jobs.ts';
import { formatIso } from '../../domain/time.ts';
import { jsonResponse } from '../../http/response.ts';
import type { DeadLetter, Send } from '../../ports/queues.ts';
import type { AdminVariables } from './admin-audit.ts';

export interface DeadLetterServices {
  readonly deadLetters: {
    readonly list: () => Promise<readonly DeadLetter[]>;
    readonly count: () => Promise<number>;
    readonly remove: (numbers: readonly number[]) => Promise<void>;
  };
  readonly send: Send;
}

/**
 * Routes to be mounted behind the token check of the admin routes. Responses: `{count, letters: [{time, queue, body}]}`, where `count` is
 * the number of all; `{sent, left}`.
 */
export function deadLetterRoutes({ deadLetters, send }: DeadLetterServices): Hono<AdminVariables> {
  return new Hono<AdminVariables>()
    .get('/', async () => {
      const letters = (await deadLetters.list()).map(({ atMs, queue, body }) => ({
        time: formatIso(atMs),
        queue,
        body: JSON.parse(body),
      }));
      return jsonResponse({ count: await deadLetters.count(), letters });
    })
    .post('/', async (c) => {
      const letters = await deadLetters.list();
      for (const { number, body } of letters) {
        const message: unknown = JSON.parse(body);
        await send(queueOf(message), [message]);
        await deadLetters.remove([number]);
      }
      if (letters.length > 0) c.set('change', { action: 'replay', subject: `${letters.length} dead letters` });
      return jsonResponse({ sent: letters.length, left: await deadLetters.count() });
    });
}
