// npm run rhessi -- FILE|URL
import { command, SERVICE_HELP, serviceAccess, textOf } from './command.ts';
import { importRhessi } from './ingest/rhessi-import.ts';

const HELP = `npm run rhessi -- FILE|URL

Imports the RHESSI flare list into a running service: a header line id,start,peak,end,peakrate,totalcounts,xloc,yloc,hi_band,
dsun,ntime,nen,link and a line for each flare. Known flares are replaced, so that the import may be repeated.

${SERVICE_HELP}

Exit status: 0 all lines imported, 1 the import failed, 2 some lines were refused.`;

const EXIT = { good: 0, refused: 2 } as const;

await command(
  HELP,
  {},
  async ({ positionals: [from] }) => {
    const [serviceUrl, token] = await serviceAccess(process.env);
    const { added, refused } = await importRhessi(serviceUrl, token, await textOf(from!), (line, error) =>
      console.error(`line ${line}: ${error}`),
    );
    console.log(`${added} flares taken, ${refused} lines refused`);
    return refused > 0 ? EXIT.refused : EXIT.good;
  },
  ({ positionals }) => positionals.length === 1,
);
