import { expect, it } from 'vitest';
import { WEBHOOKS } from '../../../src/config/limits/webhooks.ts';
import { imageSources } from '../../../src/domain/catalogue/sources.ts';
import { shardOfSource } from '../../../src/domain/shards.ts';
import { JOBS } from '../../../src/domain/status/jobs.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';
import { webhookReceiver, webhookService } from '../../support/webhooks/webhook-service.ts';
import { countedCalls } from '../../worker/counted-bindings.ts';

it('A minute of all webhooks keeps to its subrequests and statements, with new images in every shard and as many deliveries as it sends.', async () => {
  const [count, there] = [{ calls: 0, statements: 0 }, await webhookReceiver()];
  const real = databasesIn(migrated());
  const images = real.images.map((database) => countedCalls(database, count));
  const databases = {
    ...real,
    images,
    operations: countedCalls(real.operations, count),
    ofShard: (shard: number) => images[shard % images.length]!,
  };
  const { add, addImages, minute } = webhookService({ databases });
  const ids = imageSources.map(({ id }) => id);
  const sources = [...Map.groupBy(ids, shardOfSource).values()].map(([id]) => id!).slice(0, WEBHOOKS.sources);
  expect(sources).toHaveLength(WEBHOOKS.sources);
  for (let i = 0; i < WEBHOOKS.count; i += 1) await add(there.address, { sources });
  const deliveries = `INSERT INTO webhook_deliveries (id, webhook_id, type, items, body, state, created_at_ms, attempts, due_at_ms)
    SELECT 'msg_' || webhooks.id || '_' || value, webhooks.id, 'test', 0, '{}', 'waiting', 0, 0, 0 FROM webhooks, json_each(?)`;
  await real.operations
    .prepare(deliveries)
    .bind(JSON.stringify([...Array(WEBHOOKS.sentToOne).keys()]))
    .run();
  for (const source of sources) await addImages(source, source);
  await minute(0);
  const before = there.received.length;
  Object.assign(count, { calls: 0, statements: 0 });
  await minute();
  const sent = there.received.length - before;
  expect(sent).toBe(WEBHOOKS.sent);
  // A deployment has a database for each shard, and the looks at events and their statements are estimated.
  expect(count.calls).toBeGreaterThan(WEBHOOKS.count * WEBHOOKS.sources);
  expect(count.calls + sent + 12 + 100).toBeLessThanOrEqual(JOBS.sendWebhooks.subrequests);
  expect(count.statements + 12 + 100).toBeLessThanOrEqual(JOBS.sendWebhooks.statements);
  await there.close();
});
