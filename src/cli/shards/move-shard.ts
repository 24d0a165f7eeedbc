// The steps of a move, on either side of the switch of the service to the new database. May be interrupted and repeated at any point.
import { SHARD_CHECK_MS } from '../../config/limits/images.ts';
import type { HeldShard } from '../../domain/shards.ts';
import type { ComparedPage, ShardCursor } from '../../ports/shards.ts';
import { sha256Hex } from '../../util/bytes.ts';
import { SECOND_MS } from '../../util/durations.ts';
import { expected } from '../arguments.ts';
import type { AdminOperations } from '../ingest/admin-client.ts';

/** Time until no version of the service reads from the database that a shard has left: requests under way may take seconds. */
const SETTLING_MS = SHARD_CHECK_MS + 15 * SECOND_MS;
/** Passes over a frozen shard: the first copies what changed while it was open, the second finds nothing to copy. */
const FROZEN_PASSES = 3;

export interface ServiceShards {
  readonly databases: readonly { readonly name: string; readonly shards: readonly HeldShard[] }[];
  /** Binding that serves each shard. */
  readonly serving: readonly string[];
}

export interface MoveOptions {
  readonly client: AdminOperations;
  readonly shard: number;
  /** Binding of the database that the shard moves to. */
  readonly to: string;
  readonly wait: (ms: number) => Promise<unknown>;
  readonly say: (line: string) => void;
}

export const shardsOf = async (client: AdminOperations) => (await client.send('GET', '/shards')) as ServiceShards;

/** Whether the move is complete; otherwise the service has to be switched first. @throws Error with a sentence for the user */
export async function moveShard(options: MoveOptions): Promise<boolean> {
  const { client, shard, to, wait, say } = options;
  const { databases, serving } = await shardsOf(client);
  if (!databases.some(({ name }) => name === to)) {
    const names = databases.map(({ name }) => name).join(', ');
    throw expected(`one of ${names}`, 'to', to);
  }
  const stateIn = (name: string) =>
    databases.find((database) => database.name === name)?.shards.find((held) => held.shard === shard)?.state;
  const step = (name: string, from: string, query = '') =>
    client.send('POST', `/shards/${shard}/${name}?from=${from}&to=${to}${query}`);

  if (serving[shard] !== to) {
    const from = serving[shard]!;
    const copy = (cursor: ShardCursor) => step('copy', from, `&table=${cursor.table}&after=${encodeURIComponent(cursor.after)}`);
    if (stateIn(from) === 'open') {
      say(`copying shard ${shard} from ${from} to ${to}; it stays open`);
      await pass(copy, say);
      say('new images of the shard are refused from now on; reads go on');
      await step('freeze', from);
    }
    const { rows, sha256 } = await provenPass(copy, say);
    await step('enter', from);
    say(`${from} and ${to} have the same ${rows} rows, SHA-256 ${sha256}`);
    return false;
  }
  const from = databases.find(({ name }) => name !== to && ['frozen', 'moved'].includes(stateIn(name) ?? ''))?.name;
  if (from === undefined || stateIn(to) === 'open') {
    say(`${to} serves shard ${shard}`);
    return true;
  }
  await step('leave', from);
  say(`${to} serves shard ${shard}; waiting ${SETTLING_MS / SECOND_MS} s until nothing reads it from ${from}`);
  await wait(SETTLING_MS);
  await step('open', from);
  say(`shard ${shard} takes images again. \`npm run shards -- delete ${shard} --from ${from}\` deletes its rows there`);
  return true;
}

type Copy = (cursor: ShardCursor) => Promise<unknown>;

/** One pass over all rows: their number and digest, and whether some had to be copied. */
async function pass(copy: Copy, say: (line: string) => void): Promise<{ rows: number; sha256: string; copied: number }> {
  const digests: string[] = [];
  let [rows, copied] = [0, 0];
  for (let cursor: ShardCursor | null = { table: 'images', after: '' }; cursor; ) {
    const page: ComparedPage = (await copy(cursor)) as ComparedPage;
    rows += page.rows;
    if (page.wasCopied) copied += page.rows;
    digests.push(page.sha256);
    cursor = page.next;
    if (digests.length % 100 === 0) say(`${rows} rows compared`);
  }
  say(`${rows} rows, ${copied} of them copied`);
  return { rows, copied, sha256: await sha256Hex(digests.join('')) };
}

/** A pass over the frozen shard that finds both databases equal. */
async function provenPass(copy: Copy, say: (line: string) => void) {
  for (let i = 0; i < FROZEN_PASSES; i += 1) {
    const result = await pass(copy, say);
    if (result.copied === 0) return result;
  }
  throw new Error('Rows still differ after three passes. The shard stays frozen; `npm run shards -- cancel` opens it.');
}
