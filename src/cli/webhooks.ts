// npm run webhooks [-- add ADDRESS --sources LIST --events LIST | test N | resume N | remove N]

import { command, SERVICE_HELP, serviceAccess, sourceIds, TEXT } from './command.ts';
import { adminJson, posted } from './ingest/admin-client.ts';

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

const listOf = (text = ''): string[] => text.split(',').filter((each) => each.trim() !== '');

const print = (value: object) => console.log(JSON.stringify(value));
const STEPS: readonly unknown[] = ['add', 'test', 'resume', 'remove'];

await command(
  HELP,
  { sources: TEXT, events: TEXT },
  async ({ values, positionals: [step, subject = ''] }) => {
    const json = adminJson(...(await serviceAccess(process.env)));
    const path = `/webhooks/${encodeURIComponent(subject)}`;
    if (step === undefined) for (const hook of (await json<{ webhooks: object[] }>('/webhooks')).webhooks) print(hook);
    else if (step === 'add') {
      const sources = values.sources === undefined ? [] : sourceIds('sources', values.sources);
      const order = posted({ address: subject, sources, eventTypes: listOf(values.events) });
      // Not retried, because the service may have registered it when the response is lost.
      print(await json('/webhooks', order, 1));
    } else if (step === 'remove') await json(path, { method: 'DELETE' });
    else {
      const result = await json<{ isReceived?: boolean }>(`${path}/${step}`, { method: 'POST' });
      if (step === 'test') print(result);
      return result.isReceived === false ? 1 : 0;
    }
    return 0;
  },
  ({ positionals: [step, subject, ...more] }) =>
    more.length === 0 && (step === undefined || (STEPS.includes(step) && subject !== undefined)),
);
