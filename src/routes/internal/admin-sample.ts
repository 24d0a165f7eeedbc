// The progress of a sample archive under way: PUT /admin/sample sets what `/health` says of it, DELETE removes it.
import { Hono } from 'hono';
import { jsonResponse } from '../../http/response.ts';
import { SAMPLE_PROGRESS, type SampleProgressStore } from '../../services/images/sample-progress.ts';
import type { AdminVariables } from './admin-audit.ts';
import { jsonRequest } from './json-request.ts';

const BODY = {
  schema: SAMPLE_PROGRESS,
  what: '{"done": <number>, "total": <number>} with done up to total',
  maxBytes: 1024,
};

/** Routes to be mounted behind the token check of the admin routes. */
export function sampleRoutes(sample: SampleProgressStore): Hono<AdminVariables> {
  return new Hono<AdminVariables>()
    .put('/', async (c) => {
      const progress = await jsonRequest(c.req.raw, BODY);
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
