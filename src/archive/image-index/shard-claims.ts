// How an image database begins to hold shards. Apart from the tables, because commands would load drizzle with them, which takes a second.

/** Statement by which an image database takes shards that no database holds. */
export const claimStatement = (
  shards: readonly number[],
): string => `INSERT INTO held_shards (shard, generation, state, last_sequence)
    SELECT value, 1, 'open', 0 FROM json_each('${JSON.stringify(shards)}') WHERE true ON CONFLICT DO NOTHING`;
