// POST /admin/rhessi takes lines of the RHESSI flare list; GET says how many flares are known.
import type { Env, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { RHESSI_IMPORT } from '../../config/limits/events.ts';
import { isRhessiHeader, parseRhessiLine, type RhessiFlare } from '../../domain/events/rhessi.ts';
import type { RhessiFlares } from '../../ports/events.ts';

const NO_STORE = { 'Cache-Control': 'no-store' };
/** Bad parameter, as in the original. */
const ERRNO = 25;

interface Problem {
  /** From 1, in the batch. */
  readonly line: number;
  readonly error: string;
}

/** The good lines of a batch as flares, and what is wrong with the others. Empty lines and column names are passed over. */
function readBatch(lines: readonly string[]): { flares: RhessiFlare[]; problems: Problem[] } {
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

function refusal(status: 400 | 413, error: string): Response {
  return Response.json({ error, errno: ERRNO }, { status, headers: NO_STORE });
}

/**
 * Adds the import to the admin operations, whose guard it stands behind. Flares with a known id are replaced, so that a batch
 * may be sent again. The answer: `{added, refused, problems: [{line, error}]}`, the first problems only.
 */
export function withRhessiImport<E extends Env>(admin: Hono<E>, flares: Pick<RhessiFlares, 'add' | 'count'>): Hono<E> {
  admin.get('/rhessi', async () => Response.json({ flares: await flares.count() }, { headers: NO_STORE }));
  admin.post(
    '/rhessi',
    bodyLimit({
      maxSize: RHESSI_IMPORT.batchBytes,
      onError: () => refusal(413, `Expected at most ${RHESSI_IMPORT.batchBytes} bytes for the batch, got more.`),
    }),
    async (c) => {
      const lines = (await c.req.text()).split(/\r?\n/);
      if (lines.length > RHESSI_IMPORT.batchLines) {
        return refusal(400, `Expected at most ${RHESSI_IMPORT.batchLines} lines for the batch, got ${lines.length}.`);
      }
      const batch = readBatch(lines);
      await flares.add(batch.flares);
      const problems = batch.problems.slice(0, RHESSI_IMPORT.shownProblems);
      return Response.json({ added: batch.flares.length, refused: batch.problems.length, problems }, { headers: NO_STORE });
    },
  );
  return admin;
}
