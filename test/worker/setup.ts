// Resets the bindings before each test: migrated, empty databases and an empty archive.
import { applyD1Migrations, reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach } from 'vitest';
import { forgetAssembly } from '../../src/assembly.ts';
import { SHARDS } from '../../src/domain/shards.ts';
import { claimStatement } from '../../src/storage/images/held-shards.ts';

/** Sequences of ids that tests know: those of AIA 171 images and of screenshots. */
const SEQUENCES = ['images-10', 'screenshots'];

beforeEach(async () => {
  // Ids begin anew, so that an isolate would take an image for another one.
  forgetAssembly();
  await reset();
  await applyD1Migrations(env.DB, env.MIGRATIONS);
  await applyD1Migrations(env.IMAGES_SPARE, env.IMAGE_MIGRATIONS);
  for (const [i, database] of [env.IMAGES, env.IMAGES_ODD].entries()) {
    await applyD1Migrations(database, env.IMAGE_MIGRATIONS);
    await database.prepare(claimStatement(SHARDS.filter((shard) => shard % 2 === i))).run();
  }
  // The reset of an object that was in use a moment ago may leave what it stored.
  for (const name of SEQUENCES) {
    const sequence = env.ID_SEQUENCES.get(env.ID_SEQUENCES.idFromName(name));
    await runInDurableObject(sequence, (_, { storage }) => storage.deleteAll());
  }
});
