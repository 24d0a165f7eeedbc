// Sends the RHESSI flare list to a service in batches of lines.

import { setTimeout as sleep } from 'node:timers/promises';
import { isRhessiHeader } from '../../domain/events/rhessi.ts';
import { MINUTE_MS } from '../../util/durations.ts';
import { backoffMs } from '../../util/timeout.ts';

const LINES_AT_ONCE = 2000;
const TRIES = 4;
const FIRST_WAIT_MS = 500;
const REQUEST_TIMEOUT_MS = MINUTE_MS;

interface BatchResult {
  readonly added: number;
  readonly refused: number;
  readonly problems: readonly { readonly line: number; readonly error: string }[];
}

export interface RhessiImport {
  readonly added: number;
  readonly refused: number;
}

/** The lines after the column names, and the line number of the first. */
function dataLines(text: string): { lines: string[]; firstLine: number } {
  const lines = text.split(/\r?\n/);
  const header = lines.findIndex(isRhessiHeader);
  if (header < 0) throw new Error('The list has no line id,start,peak,... before the flares.');
  while (lines.at(-1)?.trim() === '') lines.pop();
  return { lines: lines.slice(header + 1), firstLine: header + 2 };
}

async function send(serviceUrl: string, token: string, lines: readonly string[]): Promise<BatchResult> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(`${serviceUrl}/admin/rhessi`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/csv', Authorization: `Bearer ${token}` },
      body: lines.join('\n'),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    }).catch((error: unknown) => error as Error);
    if (response instanceof Response && response.ok) return (await response.json()) as BatchResult;
    const mayPass = response instanceof Error || response.status === 429 || response.status >= 500;
    if (!mayPass || attempt >= TRIES) {
      if (response instanceof Error) throw new Error(`${serviceUrl} does not respond: ${response.message}`, { cause: response });
      const { error } = (await response.json().catch(() => ({}))) as { error?: string };
      throw new Error(`Status ${response.status}: ${error ?? response.statusText}`);
    }
    await sleep(backoffMs(attempt, FIRST_WAIT_MS));
  }
}

/**
 * Sends the flares of a list.
 * @param onProblem Receives refused lines: their number in the list and the error
 * @throws Error for a list without column names, and when the service refuses a batch
 */
export async function importRhessi(
  serviceUrl: string,
  token: string,
  list: string,
  onProblem: (line: number, error: string) => void,
): Promise<RhessiImport> {
  const { lines, firstLine } = dataLines(list);
  let [added, refused] = [0, 0];
  for (let i = 0; i < lines.length; i += LINES_AT_ONCE) {
    const batch = await send(serviceUrl, token, lines.slice(i, i + LINES_AT_ONCE));
    added += batch.added;
    refused += batch.refused;
    for (const { line, error } of batch.problems) onProblem(firstLine + i + line - 1, error);
  }
  return { added, refused };
}
