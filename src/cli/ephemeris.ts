// npm run ephemeris -- FILE|URL --body NAME
import { command, FLAG, SERVICE_HELP, serviceAccess, TEXT, textOf } from './command.ts';
import { adminJson } from './ingest/admin-client.ts';

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

type TableSummary = Readonly<Record<'rows' | 'first' | 'last', string | number>>;

const described = (name: string, { rows, first, last }: TableSummary): string => `${name}: ${rows} rows from ${first} to ${last}`;

const OPTIONS = { body: TEXT, remove: FLAG, list: FLAG };

await command(
  HELP,
  OPTIONS,
  async ({ values: { body, remove, list }, positionals: [from] }) => {
    const json = adminJson(...(await serviceAccess(process.env)));
    if (list) {
      const tables = Object.entries(await json<Record<string, TableSummary>>('/ephemeris'));
      console.log(tables.map(([name, summary]) => described(name, summary)).join('\n') || 'no tables');
      return;
    }
    const path = `/ephemeris/${encodeURIComponent(body!)}`;
    if (remove) {
      await json(path, { method: 'DELETE' });
      console.log(`${body}: removed`);
      return;
    }
    const table = { method: 'PUT', headers: { 'Content-Type': 'text/csv' }, body: await textOf(from!) };
    console.log(described(body!, await json<TableSummary>(path, table)));
  },
  ({ values: { body, remove, list }, positionals }) => list || (body !== undefined && positionals.length === (remove ? 0 : 1)),
);
