// npm run webhooks [-- add ADDRESS --sources LIST --events LIST | test N | resume N | remove N]
import { parseArgs } from 'node:util';
import { adminJson, posted } from './ingest/admin-client.ts';
import { runProgram } from './run.ts';
import { SERVICE_HELP, serviceAccess } from './settings.ts';

const HELP = `npm run webhooks
npm run webhooks -- add ADDRESS --sources 10,13 --events FL,CE
npm run webhooks -- test|resume|remove NUMBER

Lists the webhooks of a running service, or

  add      registers one for datasources, for types of events, or for both, and prints its number and its secret, which is shown here alone
  test     sends a test, and prints what the receiver said
  resume   ends a pause
  remove   removes it

${SERVICE_HELP}

Exit status: 0 done, 1 failed, or the receiver did not take the test.`;

const listOf = (text: string | undefined): string[] => text?.split(',').filter((each) => each.trim() !== '') ?? [];

async function main(): Promise<number> {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { sources: text, events: text, help: { type: 'boolean' } },
  });
  const [command = 'list', subject] = positionals;
  const isKnown = command === 'list' ? !subject : ['add', 'test', 'resume', 'remove'].includes(command) && subject;
  if (values.help || !isKnown || positionals.length > 2) {
    console.log(HELP);
    return values.help ? 0 : 1;
  }
  const json = adminJson(...(await serviceAccess(process.env)));
  const path = `/webhooks/${encodeURIComponent(subject ?? '')}`;
  if (command === 'list') for (const hook of (await json<{ webhooks: object[] }>('/webhooks')).webhooks) print(hook);
  else if (command === 'add')
    print(
      await json(
        '/webhooks',
        posted({ address: subject, sources: listOf(values.sources).map(Number), eventTypes: listOf(values.events) }),
      ),
    );
  else if (command === 'remove') await json(path, { method: 'DELETE' });
  else {
    const result = await json<{ isReceived?: boolean }>(`${path}/${command}`, { method: 'POST' });
    if (command === 'test') print(result);
    return result.isReceived === false ? 1 : 0;
  }
  return 0;
}

const print = (value: object) => console.log(JSON.stringify(value));

await runProgram(main);
