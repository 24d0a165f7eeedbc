// The image databases of a deployment: `<name>-00`, `<name>-01` and so on, bound as IMAGES_00, IMAGES_01.
import { claimStatement } from '../../archive/image-index/shard-claims.ts';
import { databasesOfShards, distributedShards, type HeldShard } from '../../platform/storage/shards.ts';
import { expected } from '../arguments.ts';
import type { D1Binding } from './deployed-config.ts';
import { executed, type Wrangler } from './wrangler.ts';

const NEW_DATABASES = 16;
export const MAX_IMAGE_DATABASES = 64;

const HELD_SHARDS = 'SELECT shard, generation, state FROM held_shards';

const suffix = (number: number) => String(number).padStart(2, '0');

/** The image databases of a deployment, existing and new ones up to the requested number. @throws Error for fewer than exist */
export function imageDatabases(template: D1Binding, present: ReadonlySet<string>, requested: number | null): D1Binding[] {
  const numbered = (number: number): D1Binding => ({
    ...template,
    binding: `${template.binding}_${suffix(number)}`,
    database_name: `${template.database_name}-${suffix(number)}`,
  });
  let existing = 0;
  while (present.has(numbered(existing).database_name)) existing += 1;
  const count = requested ?? (existing || NEW_DATABASES);
  if (count < existing) throw expected(`at least the ${existing} that exist`, 'image-databases', String(count));
  return Array.from({ length: count }, (_, number) => numbered(number));
}

/** The binding of each shard, as the migrated databases say, or by a new distribution. @throws Error where they contradict each other */
export async function shardBindings(
  wrangler: Wrangler,
  databases: readonly D1Binding[],
  config: string,
): Promise<readonly string[]> {
  const held = new Map<string, readonly HeldShard[]>();
  for (const { binding } of databases) held.set(binding, (await executed(wrangler, binding, config, HELD_SHARDS)) as HeldShard[]);
  if ([...held.values()].some(({ length }) => length > 0)) return databasesOfShards(held);
  const distribution = distributedShards(databases.map(({ binding }) => binding));
  for (const [binding, shards] of distribution) await executed(wrangler, binding, config, claimStatement(shards));
  return [...distribution]
    .flatMap(([binding, shards]) => shards.map((shard) => ({ shard, binding })))
    .sort((a, b) => a.shard - b.shard)
    .map(({ binding }) => binding);
}
