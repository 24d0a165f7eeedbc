// The health check: whether the databases and the archive respond, and the progress of a sample archive.
import type { ImageIndex } from '../../archive/ports.ts';
import type { SampleProgressStore } from '../../archive/sample-progress.ts';
import { STATUS } from '../../platform/limits/status.ts';
import type { Clock } from '../../platform/ports/timing.ts';
import { SHARDS } from '../../platform/storage/shards.ts';
import { FreshValue } from '../../platform/util/single-flight.ts';
import type { StatusService } from './service-status.ts';

/** Ids that no image has, because sequences begin at 1, one for each shard: the check only needs a response of every image database. */
const NO_IMAGES = SHARDS;

interface HealthPorts {
  readonly index: Pick<ImageIndex, 'withdrawn'>;
  readonly sample: SampleProgressStore;
  readonly status: Pick<StatusService, 'readMain' | 'readJobs'>;
  readonly clock: Clock;
}

async function succeeds(check: () => Promise<unknown>): Promise<boolean> {
  try {
    await check();
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether the image databases (`index`), those of visitors (`main`) and operators (`operations`) and the archive (R2) respond, some seconds old at
 * most: a monitor that looks each second costs the databases and R2 one request each in this time. Every look has a key of its own in the edge
 * cache, which repeats expired responses while the Worker fails.
 */
export function healthCheck(ports: HealthPorts) {
  const { healthFreshMs: freshMs, shareMs } = STATUS;
  return new FreshValue(() => examined(ports), { freshMs, shareMs, clock: ports.clock });
}

export type HealthCheck = ReturnType<typeof healthCheck>;

async function examined({ index, sample: store, status: service }: HealthPorts) {
  const progress = store.read();
  const jobs = service.readJobs();
  const [indexResponds, mainResponds, operationsRespond, archiveResponds] = await Promise.all([
    // Withdrawn images are in the databases alone; other facts of images are read from the archive first.
    succeeds(() => index.withdrawn(NO_IMAGES)),
    succeeds(() => service.readMain()),
    succeeds(() => jobs),
    succeeds(() => progress),
  ]);
  const sample = archiveResponds ? await progress : null;
  const isOk = indexResponds && mainResponds && operationsRespond && archiveResponds;
  const responding = { index: indexResponds, main: mainResponds, operations: operationsRespond, archive: archiveResponds };
  return { isOk, responding, sample, jobs: operationsRespond ? await jobs : [] };
}
