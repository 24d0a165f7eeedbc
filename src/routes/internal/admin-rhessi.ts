// The import of the RHESSI flare list: POST /admin/rhessi adds a batch of its lines, GET counts the stored flares.
import { Hono } from 'hono';
import { RHESSI_IMPORT } from '../../config/limits/events.ts';
import { Failure } from '../../domain/errors.ts';
import { isRhessiHeader, parseRhessiLine, type RhessiFlare } from '../../domain/events/rhessi.ts';
import { requestBody } from '../../http/request.ts';
import { jsonResponse } from '../../http/response.ts';
import type { RhessiFlares } from '../../ports/events.ts';
import type { AdminVariables } from './admin-audit.ts';

interface Problem {
  /** Line number in the batch, from 1. */
  readonly line: number;
  readonly error: string;
}

/** The valid lines of a batch as flares, and the errors of the others. Empty lines and column names are skipped. */
function parseBatch(lines: readonly string[]): { flares: RhessiFlare[]; problems: Problem[] } {
  const flares: RhessiFlare[] = [];
  const problems: Problem[] = [];
  lines.forEach((text, i) => {
    if (text.trim() === '' || isRhessiHeader(text)) return;
    const flare = parseRhessiLine(text);
    if (typeof flare === 'string') problems.push({ line: i + 1, error: flare });
    else flares.push(flare);
  });
  return { flares, problems };
}

/**
 * Routes of the import, to be mounted behind the token check of the admin routes. A flare replaces a stored one with the same id,
 * so that a batch may be sent again. Response: `{added, refused, problems: [{line, error}]}` with the first problems only.
 */
export function rhessiRoutes(flares: Pick<RhessiFlares, 'add' | 'count'>): Hono<AdminVariables> {
  return new Hono<AdminVariables>()
    .get('/', async () => jsonResponse({ flares: await flares.count() }))
    .post('/', async (c) => {
      const body = await requestBody(c.req.raw, RHESSI_IMPORT.batchBytes);
      const lines = new TextDecoder().decode(body).split(/\r?\n/);
      if (lines.length > RHESSI_IMPORT.batchLines) {
        const sentence = `Expected at most ${RHESSI_IMPORT.batchLines} lines for the batch, got ${lines.length}.`;
        throw new Failure('bad-parameter', sentence);
      }
      const batch = parseBatch(lines);
      await flares.add(batch.flares);
      c.set('change', { action: 'import-flares', subject: '' });
      const problems = batch.problems.slice(0, RHESSI_IMPORT.shownProblems);
      return jsonResponse({ added: batch.flares.length, refused: batch.problems.length, problems });
    });
}
