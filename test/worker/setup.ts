// Resets the bindings before each test: migrated, empty databases and an empty archive.
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, vi } from 'vitest';
import { claimStatement, SHARDS } from '../../src/platform/storage/shards.ts';
import { forgetWorker } from '../../src/worker/worker.ts';
import { loseSequence } from './services.ts';

/** Whether the archive or an image database still has something, because the reset of an object in use may leave what it stored. */
async function isLeft(): Promise<boolean> {
  const rows = [env.IMAGES, env.IMAGES_ODD].map((database) => database.prepare('SELECT id FROM images').first());
  const found = await Promise.all([...rows, env.ARCHIVE.list({ limit: 1 }).then(({ objects }) => objects[0] ?? null)]);
  return found.some((one) => one !== null);
}

/** Migrates a database by one call, unless it has its tables still. */
const migrate = (database: D1Database, statements: readonly string[]) =>
  database.batch(statements.map((each) => database.prepare(each))).catch((error: Error) => {
    if (!error.message.includes('already exists')) throw error;
  });

async function resetBindings(): Promise<void> {
  await reset();
  await Promise.all([
    migrate(env.DB, env.MIGRATIONS),
    migrate(env.OPERATIONS, env.OPERATIONS_MIGRATIONS),
    ...[env.IMAGES, env.IMAGES_ODD, env.IMAGES_SPARE].map((database) => migrate(database, env.IMAGE_MIGRATIONS)),
  ]);
}

beforeEach(async () => {
  // Ids begin anew, so that an isolate would take an image for another one.
  forgetWorker();
  await resetBindings();
  await vi.waitUntil(async () => !(await isLeft()) || resetBindings().then(() => false), { timeout: 8_000 });
  for (const [i, database] of [env.IMAGES, env.IMAGES_ODD].entries()) {
    await database.prepare(claimStatement(SHARDS.filter((shard) => shard % 2 === i))).run();
  }
  await loseSequence();
});
