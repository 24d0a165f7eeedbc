import { expect, it } from 'vitest';
import { JOBS, OTHER_COSTS } from '../../../src/operator/status/jobs.ts';
import { WEBHOOKS } from '../../../src/platform/limits/webhooks.ts';
import { shardOfSource } from '../../../src/platform/storage/shards.ts';
import { MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { imageSources } from '../../../src/sun/catalogue/sources.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';
import { webhookReceiver, webhookService } from '../../support/webhooks/webhook-service.ts';
import { countedCalls, noCalls } from '../../worker/counted-bindings.ts';

it('A minute of all webhooks keeps to its subrequests and statements, with new images in every shard, and so does a delivery.', async () => {
  const [count, there] = [noCalls(), await webhookReceiver()];
  const real = databasesIn(migrated());
  const images = real.images.map((database) => countedCalls(database, count));
  const databases = {
    ...real,
    images,
    operations: countedCalls(real.operations, count),
    ofShard: (shard: number) => images[shard % images.length]!,
  };
  const { add, addImages, minute, services, time } = webhookService({ databases });
  const ids = imageSources.map(({ id }) => id);
  const sources = [...Map.groupBy(ids, shardOfSource).values()].map(([id]) => id!).slice(0, WEBHOOKS.sources);
  expect(sources).toHaveLength(WEBHOOKS.sources);
  for (let i = 0; i < WEBHOOKS.count; i += 1) await add(there.address, { sources });
  for (const source of sources) await addImages(source, source);
  await minute(0);
  Object.assign(count, noCalls());
  time.nowMs += MINUTE_MS;
  await services.sendWebhooks();
  // A deployment has a database for each shard, and the looks at events and their statements are estimated.
  expect(count.calls).toBeGreaterThan(WEBHOOKS.count * WEBHOOKS.sources);
  expect(count.calls + 12 + 100).toBeLessThanOrEqual(JOBS.sendWebhooks.subrequests);
  expect(count.statements + 12 + 100).toBeLessThanOrEqual(JOBS.sendWebhooks.statements);
  Object.assign(count, noCalls());
  await minute(0);
  expect(there.received).toHaveLength(WEBHOOKS.count);
  expect(count.calls / WEBHOOKS.count + 1 + 12 + 100).toBeLessThanOrEqual(OTHER_COSTS.webhook.subrequests);
  expect(count.statements / WEBHOOKS.count + 12 + 100).toBeLessThanOrEqual(OTHER_COSTS.webhook.statements);
  await there.close();
});
