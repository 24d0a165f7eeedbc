// npm run shards [-- move SHARD --to BINDING]
import { databasesOfShards } from '../domain/shards.ts';
import { delay } from '../util/retry.ts';
import { expected } from './arguments.ts';
import { type AdminOperations, adminClient } from './ingest/admin-client.ts';
import { command, TEXT } from './run.ts';
import { SERVICE_HELP, serviceAccess } from './settings.ts';
import { moveShard, shardsOf } from './shards/move-shard.ts';

const HELP = `npm run shards
npm run shards -- move SHARD --to DATABASE
npm run shards -- cancel SHARD --to DATABASE
npm run shards -- delete SHARD --from DATABASE

Shows the shards of the image index of a running service (0 to 15: source id mod 16), or moves one to another image database.
DATABASE is the name of a binding, such as IMAGES_16; \`npm run deploy -- --image-databases N\` adds databases. The service on this
machine has one image database.

  move     copies the shard, refuses new images of it while both databases are compared, and asks for the switch by
           \`npm run deploy\`. Repeated after the switch, completes the move. Reads go on all the time.
  cancel   ends a move before the switch
  delete   deletes the rows that a moved shard has left behind

${SERVICE_HELP}

Exit status: 0 done, 1 failed, 3 the service has to be switched.`;

const EXIT = { good: 0, switchNeeded: 3 } as const;

const say = (line: string) => console.log(line);

async function show(client: AdminOperations): Promise<number> {
  const { databases, serving } = await shardsOf(client);
  for (const { name, shards } of databases) {
    const states = shards.map(({ shard, state }) => `${shard}${state === 'open' ? '' : ` (${state})`}`);
    say(`${name}: ${states.join(', ') || 'no shards'}`);
  }
  const held = databasesOfShards(new Map(databases.map(({ name, shards }) => [name, shards])));
  const wrong = serving.flatMap((name, shard) => (name === held[shard] ? [] : [`shard ${shard} is in ${held[shard]}`]));
  if (wrong.length === 0) return EXIT.good;
  say(`The service has to be deployed again, because ${wrong.join(', ')}.`);
  return EXIT.switchNeeded;
}

await command(
  HELP,
  { to: TEXT, from: TEXT },
  async ({ values, positionals: [step, shardText] }) => {
    const shard = Number(shardText);
    const client = adminClient(...(await serviceAccess(process.env)));
    if (step === undefined) return show(client);
    const [option, other] = step === 'delete' ? (['from', values.from] as const) : (['to', values.to] as const);
    if (!/^\d{1,2}$/.test(shardText ?? '') || shard > 15)
      throw new Error(`Expected 0 to 15 for SHARD, got ${shardText ?? 'nothing'}.`);
    if (other === undefined) throw expected('a database', option, other);
    const { serving } = await shardsOf(client);
    switch (step) {
      case 'move': {
        if (await moveShard({ client, shard, to: other, wait: delay, say })) return EXIT.good;
        say('Now switch the service by `npm run deploy`, and run this command again.');
        return EXIT.switchNeeded;
      }
      case 'cancel':
        await client.send('POST', `/shards/${shard}/cancel?from=${serving[shard]}&to=${other}`);
        say(`shard ${shard} is open in ${serving[shard]}`);
        return EXIT.good;
      default: {
        const path = `/shards/${shard}/delete?from=${other}&to=${serving[shard]}`;
        while (((await client.send('POST', path)) as { areLeft: boolean }).areLeft);
        say(`${other} has no rows of shard ${shard}`);
        return EXIT.good;
      }
    }
  },
  ({ positionals: [step] }) => step === undefined || ['move', 'cancel', 'delete'].includes(step),
);
