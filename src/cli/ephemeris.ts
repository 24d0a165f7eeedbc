// npm run ephemeris -- FILE|URL --body NAME
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { MINUTE_MS } from '../util/durations.ts';
import { runProgram } from './run-program.ts';
import { SERVICE_HELP, serviceAccess } from './settings.ts';

const HELP = `npm run ephemeris -- FILE|URL --body NAME
npm run ephemeris -- --remove --body NAME
npm run ephemeris -- --list

Imports the orbit of a spacecraft into a running service, in place of an earlier one. NAME is soho, psp, solo, stereo_a or
stereo_b. The file is a table of states about the Sun: a vector table of JPL Horizons (EPHEM_TYPE=VECTORS, CENTER='500@10',
REF_PLANE=FRAME, CSV_FORMAT=YES), or lines time,x,y,z,vx,vy,vz after those column names, with UTC dates, au and au per day on
the axes of the ICRF. Steps of 6 hours suit every mission; the Parker Solar Probe needs them, others may have a day.

  --remove        removes the table of NAME
  --list          shows the tables of the service

${SERVICE_HELP}

Exit status: 0 done, 1 failed or refused.`;

const EXIT = { good: 0, failed: 1 } as const;
const REQUEST_TIMEOUT_MS = MINUTE_MS;

type TableSummary = Readonly<Record<'rows' | 'first' | 'last', string | number>>;

async function textOf(from: string): Promise<string> {
  if (!/^https?:/.test(from)) return readFile(from, 'latin1');
  const response = await fetch(from, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`The table at ${from} cannot be loaded (status ${response.status}).`);
  return response.text();
}

/** A request to the admin routes of the service. */
async function send(method: 'GET' | 'PUT' | 'DELETE', path: string, body?: string): Promise<unknown> {
  const [serviceUrl, token] = await serviceAccess(process.env);
  const response = await fetch(`${serviceUrl}/admin/ephemeris${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'Content-Type': 'text/csv' }) },
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  }).catch((error: Error) => {
    throw new Error(`${serviceUrl} does not respond: ${error.message}`, { cause: error });
  });
  const reply: unknown = await response.json().catch(() => ({}));
  if (response.ok) return reply;
  const { error } = reply as { error?: string };
  throw new Error(`Status ${response.status}: ${error ?? response.statusText}`);
}

const described = (name: string, { rows, first, last }: TableSummary): string => `${name}: ${rows} rows from ${first} to ${last}`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      body: { type: 'string' },
      remove: { type: 'boolean' },
      list: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  const { body, remove, list, help } = values;
  const [from] = positionals;
  if (list) {
    const tables = Object.entries((await send('GET', '')) as Record<string, TableSummary>);
    console.log(tables.map(([name, summary]) => described(name, summary)).join('\n') || 'no tables');
    return EXIT.good;
  }
  if (help || body === undefined || positionals.length !== (remove ? 0 : 1)) {
    console.log(HELP);
    return help ? EXIT.good : EXIT.failed;
  }
  const path = `/${encodeURIComponent(body)}`;
  if (remove) {
    await send('DELETE', path);
    console.log(`${body}: removed`);
    return EXIT.good;
  }
  const summary = (await send('PUT', path, await textOf(from!))) as TableSummary;
  console.log(described(body, summary));
  return EXIT.good;
}

await runProgram(main);
