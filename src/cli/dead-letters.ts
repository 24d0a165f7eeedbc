// npm run dead-letters [-- --replay]

import { command, FLAG, SERVICE_HELP, serviceAccess } from './command.ts';
import { adminJson } from './ingest/admin-client.ts';

const HELP = `npm run dead-letters [-- --replay]

Lists the messages of a service that no consumer could work off, the oldest 100: time, queue and body.

  --replay  sends all of them again to the queues from which they came

${SERVICE_HELP}

Exit status: 0 there are none or all were sent, 1 failed, 2 there are some.`;

await command(HELP, { replay: FLAG }, async ({ values }) => {
  const json = adminJson(...(await serviceAccess(process.env)));
  if (values.replay) {
    let sent = 0;
    for (let left = 1; left > 0; ) {
      const step = await json<{ readonly sent: number; readonly left: number }>('/dead-letters', { method: 'POST' });
      sent += step.sent;
      left = step.left;
    }
    console.log(`${sent} sent again`);
    return 0;
  }
  const { count, letters } = await json<{ count: number; letters: { time: string; queue: string; body: unknown }[] }>(
    '/dead-letters',
  );
  for (const { time, queue, body } of letters) console.log(`${time} ${queue} ${JSON.stringify(body)}`);
  console.log(count === 1 ? '1 dead letter' : `${count} dead letters`);
  return count > 0 ? 2 : 0;
});
