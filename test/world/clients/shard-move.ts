// The move of a shard from IMAGES to IMAGES_ODD, by the statements of docs/operate.md.
import type { World } from '../world.ts';

/** Their cursors would pass over images that have no row yet. */
export const pauseWebhooks = ({ databases }: World) =>
  databases.OPERATIONS.run('UPDATE webhooks SET paused_at_ms = 1 WHERE paused_at_ms IS NULL');

/** Gives a shard to the other database, with its withdrawn images and no other rows, and deploys the map that names it. */
export async function moveShard(world: World, shard: number): Promise<void> {
  const { databases, planted, scheduler } = world;
  const { IMAGES: from, IMAGES_ODD: to } = databases;
  world.fault('move of a shard');
  pauseWebhooks(world);
  from.run(`UPDATE held_shards SET state = 'frozen' WHERE shard = ${shard}`);
  await scheduler.turn('move of a shard');
  from.run(`UPDATE held_shards SET state = 'moved' WHERE shard = ${shard}`);
  await scheduler.turn('move of a shard');
  const withdrawn = from.rows<object>(`SELECT * FROM withdrawn_images WHERE source_id = ${shard}`);
  for (const row of planted.movesAtOnce ? [] : withdrawn) to.insert('withdrawn_images', Object.values(row));
  to.run(`INSERT INTO held_shards (shard, generation, state, last_sequence) VALUES (${shard}, 2, 'open', 0)`);
  await scheduler.turn('move of a shard');
  world.moveTo(shard, 'IMAGES_ODD');
}
