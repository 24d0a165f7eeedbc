// The progress of a sample archive under way: PUT /admin/sample sets what `/health` says of it, DELETE removes it.
import { Hono } from 'hono';
import { Failure } from '../../domain/errors.ts';
import { requestBody } from '../../http/request.ts';
import { jsonResponse } from '../../http/response.ts';
import { parseSampleProgress, type SampleProgressStore } from '../../services/images/sample-progress.ts';
import type { AdminVariables } from './admin-audit.ts';

const MAX_BODY_BYTES = 1024;

/** Routes to be mounted behind the token check of the admin routes. */
export function sampleRoutes(sample: SampleProgressStore): Hono<AdminVariables> {
  return new Hono<AdminVariables>()
    .put('/', async (c) => {
      const body = await requestBody(c.req.raw, MAX_BODY_BYTES);
      const progress = parseSampleProgress(new TextDecoder().decode(body));
      if (!progress) {
        const sentence = 'Expected {"done": <number>, "total": <number>} with done up to total for the body, got something else.';
        throw new Failure('bad-parameter', sentence);
      }
      // Reported each second, of which only the beginning is a change.
      if (!(await sample.read())) c.set('change', { action: 'begin-sample', subject: '' });
      await sample.write(progress);
      return jsonResponse(progress);
    })
    .delete('/', async (c) => {
      await sample.write(null);
      c.set('change', { action: 'end-sample', subject: '' });
      return jsonResponse({});
    });
}
