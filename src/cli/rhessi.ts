// npm run rhessi -- FILE|URL
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isRhessiHeader } from '../domain/events/rhessi.ts';
import { adminTokenFrom, serviceUrlFrom } from './settings.ts';

const HELP = `npm run rhessi -- FILE|URL

Imports the flare list of RHESSI into a running service: lines of id,start,peak,end,peakrate,totalcounts,xloc,yloc,hi_band,
dsun,ntime,nen,link after a line of these names. Flares that are known are replaced, so that it can be run again.

  HELIOEDGE_URL   the service (http://127.0.0.1:$PORT, where PORT is 8787 unless set)
  ADMIN_TOKEN     its token; found by itself for a service started on this machine with the same STATE_DIR

Exit status: 0 all lines taken, 1 the import failed, 2 some lines were refused.`;

const EXIT = { good: 0, failed: 1, refused: 2 } as const;
const LINES_AT_ONCE = 2000;
const TRIES = 4;
const FIRST_WAIT_MS = 500;
const REQUEST_TIMEOUT_MS = 60_000;

interface BatchAnswer {
  readonly added: number;
  readonly refused: number;
  readonly problems: readonly { readonly line: number; readonly error: string }[];
}

async function textOf(from: string): Promise<string> {
  if (!/^https?:/.test(from)) return readFile(from, 'utf8');
  const answer = await fetch(from, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`Expected the list at ${from}, got status ${answer.status}.`);
  return answer.text();
}

/** The lines after the column names, with the number of the first one in the file. */
function dataLines(text: string): { lines: string[]; firstLine: number } {
  const lines = text.split(/\r?\n/);
  const header = lines.findIndex(isRhessiHeader);
  if (header < 0) throw new Error('Expected a line id,start,peak,... before the flares, got none.');
  while (lines.at(-1)?.trim() === '') lines.pop();
  return { lines: lines.slice(header + 1), firstLine: header + 2 };
}

async function send(serviceUrl: string, token: string, lines: readonly string[]): Promise<BatchAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await fetch(`${serviceUrl}/admin/rhessi`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/csv', Authorization: `Bearer ${token}` },
      body: lines.join('\n'),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    }).catch((error: unknown) => error as Error);
    if (answer instanceof Response && answer.ok) return (await answer.json()) as BatchAnswer;
    const mayPass = answer instanceof Error || answer.status === 429 || answer.status >= 500;
    if (!mayPass || attempt >= TRIES) {
      if (answer instanceof Error) throw new Error(`${serviceUrl} does not answer: ${answer.message}`, { cause: answer });
      const { error } = (await answer.json().catch(() => ({}))) as { error?: string };
      throw new Error(`Status ${answer.status}: ${error ?? answer.statusText}`);
    }
    await sleep(FIRST_WAIT_MS * 2 ** (attempt - 1));
  }
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { help: { type: 'boolean' } } });
  const [from] = positionals;
  if (values.help || from === undefined || positionals.length > 1) {
    console.log(HELP);
    return values.help ? EXIT.good : EXIT.failed;
  }
  const serviceUrl = serviceUrlFrom(process.env);
  const token = await adminTokenFrom(process.env, serviceUrl);
  const { lines, firstLine } = dataLines(await textOf(from));
  let [added, refused] = [0, 0];
  for (let i = 0; i < lines.length; i += LINES_AT_ONCE) {
    const answer = await send(serviceUrl, token, lines.slice(i, i + LINES_AT_ONCE));
    added += answer.added;
    refused += answer.refused;
    for (const { line, error } of answer.problems) console.error(`line ${firstLine + i + line - 1}: ${error}`);
  }
  console.log(`${added} flares taken, ${refused} lines refused`);
  return refused > 0 ? EXIT.refused : EXIT.good;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = EXIT.failed;
}
