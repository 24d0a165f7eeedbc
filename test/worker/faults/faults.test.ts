// A mixed load over D1, R2, Durable Objects and a queue that fail by a seed. FAULT_SEEDS=1-50 takes other seeds than the usual ones.
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { consumeQueue } from '../../../src/background.ts';
import type { ComposedWorker } from '../../../src/composition/worker.ts';
import { HOUR_MS } from '../../../src/util/durations.ts';
import { FaultedService, jsonOf } from '../../support/faults/faulted-service.ts';
import { MovieMaking } from '../../support/faults/movie-making.ts';
import { Reading, type StableImage } from '../../support/faults/reading.ts';
import { SeededFaults } from '../../support/faults/seeded-faults.ts';
import { OPERATOR, UploadedName, versionOf } from '../../support/faults/uploading.ts';
import { batchOf, runMinute } from '../../support/memory/background-jobs.ts';
import { recent } from '../samples/sample-files.ts';

/** Part of the calls of bindings that have a fault; a request makes up to twenty. */
const RATE = 0.12;
const STEPS = { uploads: 5, reads: 20, movies: 6, jobs: 5, work: 5 };
const READERS = 4;
/** Builds after the load, and pages of the reconciliation, of a service that makes progress. */
const [MOST_BUILDS, MOST_PAGES] = [100, 100];
const WORKERS = 2;

const { files } = recent;
const filesOf = (sourceId: number) => files.filter((file) => file.sourceId === sourceId);
const stableFiles = [...filesOf(12).slice(0, 5), ...filesOf(13).slice(0, 1)];
/** The name of each file, with its content and that of the next one as versions. */
const names = [...filesOf(10), ...filesOf(14).slice(0, 4)].flatMap((file, i, all) =>
  i % 2 === 0 ? [[file, all[i + 1]!] as const] : [],
);

async function repeat(count: number, step: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < count; i += 1) await step();
}

async function ingestStable(service: FaultedService): Promise<StableImage[]> {
  const images: StableImage[] = [];
  for (const { name, base64, sourceId } of stableFiles) {
    const put = { method: 'PUT', headers: OPERATOR, body: Buffer.from(base64, 'base64') };
    const { id, date } = jsonOf<{ id: number; date: string }>(await service.send(`/admin/images/${name}`, put));
    images.push({ id, sourceId, date });
  }
  return images;
}

/** A movie of the stable images; `number` makes it another one. */
function movieOf(images: readonly StableImage[], number: number): string {
  const times = images.filter(({ sourceId }) => sourceId === images[0]!.sourceId).map(({ date }) => date);
  const [first, last] = [times.toSorted()[0], times.toSorted().at(-1)];
  const field = `imageScale=${38 + number}&x1=-1200&y1=-1200&x2=1200&y2=1200`;
  return `startTime=${first}&endTime=${last}&layers=[${images[0]!.sourceId},1,100]&events=&eventsLabels=false&${field}`;
}

/** Runs the jobs of the clock, but for the record of the status, which waits for event sources that do not answer here. */
const sweepWith = ({ services }: ComposedWorker) => runMinute({ ...services, recordStatus: async () => undefined });

/** Delivers the waiting messages of the queue, each twice. */
async function deliverTwice(service: FaultedService): Promise<void> {
  const bodies = service.messages.splice(0);
  if (bodies.length > 0) await consumeQueue(batchOf('jobs', [...bodies, ...bodies]), service.isolate().services);
}

async function reconciled(service: FaultedService): Promise<unknown[]> {
  const faults: unknown[] = [];
  let cursor: unknown = null;
  let pages = 0;
  do {
    const body = JSON.stringify({ cursor, mend: false });
    const step = jsonOf<{ faults: unknown[]; next: unknown }>(
      await service.send('/admin/reconciliation', { method: 'POST', headers: OPERATOR, body }),
    );
    faults.push(...step.faults);
    cursor = step.next;
    pages += 1;
    expect(pages).toBeLessThan(MOST_PAGES);
  } while (cursor !== null);
  return faults;
}

/** The names whose tiles, files or absence are not those of what the archive must have. */
async function expectWhole(service: FaultedService, uploaded: readonly UploadedName[]): Promise<void> {
  for (const name of uploaded) {
    const image = await name.look();
    if (image) {
      const { bytes } = name.versions.find(({ sha256 }) => sha256 === image.sha256)!;
      const { body } = await service.send(`/v2/getJP2Image/?id=${image.id}`);
      service.expect(Buffer.compare(body, bytes) === 0, `the file of ${name.name} has ${body.length} bytes of ${bytes.length}`);
    }
    for (const id of name.contents.keys()) await name.expectPicture(id, [id === image?.id ? 200 : 410]);
  }
}

/** Objects and rows of images that do not belong together, beside those that the reconciliation compares. */
async function leftovers(): Promise<string[]> {
  const left: string[] = [];
  const { results } = await env.IMAGES.prepare('SELECT id FROM images').all<{ id: number }>();
  const odd = await env.IMAGES_ODD.prepare('SELECT id FROM images').all<{ id: number }>();
  const ids = new Set([...results, ...odd.results].map(({ id }) => String(id)));
  const { objects } = await env.ARCHIVE.list({ prefix: 'facts/' });
  for (const { key } of objects) if (!ids.has(/(\d+)[^/]*$/.exec(key)?.[1] ?? '')) left.push(key);
  const uploads = await env.OPERATIONS.prepare('SELECT key FROM uploads').all<{ key: string }>();
  return [...left, ...uploads.results.map(({ key }) => `upload of ${key}`)];
}

/** Lines of the log of the service. */
let logged: string[] = [];

describe('the service over bindings that fail', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    logged = [];
    for (const method of ['log', 'error'] as const)
      vi.spyOn(console, method).mockImplementation((line) => void logged.push(String(line)));
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it.each(inject('faultSeeds'))(
    'answers right or with an honest error, and stores nothing by half, with seed %i',
    async (seed) => {
      const faults = new SeededFaults(seed, RATE);
      const service = new FaultedService(faults, logged);
      const images = await ingestStable(service);
      const reading = new Reading(service, images.slice(0, 2));
      await reading.learn();
      const movies = new MovieMaking(service);
      const uploaded = await Promise.all(
        names.map(
          async (pair) => new UploadedName(service, pair[0].name, await Promise.all(pair.map(({ base64 }) => versionOf(base64)))),
        ),
      );
      faults.start();
      await Promise.all([
        ...uploaded.map((name) => repeat(STEPS.uploads, () => name.step(faults))),
        ...Array.from({ length: READERS }, () => repeat(STEPS.reads, () => reading.step(faults))),
        repeat(STEPS.movies, async () => {
          await movies.request(movieOf(images, Math.floor(4 * faults.random())));
          await movies.look(faults);
        }),
        ...Array.from({ length: WORKERS }, () => repeat(STEPS.work, () => movies.work(faults, true))),
        repeat(STEPS.jobs, async () => {
          vi.setSystemTime(Date.now() + 20_000);
          await sweepWith(service.isolate());
          await deliverTwice(service);
        }),
      ]);
      faults.stop();
      for (let hours = 0; hours < 4; hours += 1) {
        vi.setSystemTime(Date.now() + 2 * HOUR_MS);
        await sweepWith(service.newIsolate());
        // Bounded, because a loop within this isolate leaves no time to the time limit of the test.
        for (let i = 0; await movies.work(faults, false); i += 1) expect(i).toBeLessThan(MOST_BUILDS);
      }
      service.forget();
      expect(await reconciled(service)).toEqual([]);
      expect(await leftovers()).toEqual([]);
      await expectWhole(service, uploaded);
      await movies.expectFinished();
      await reading.expectAll();
      expect(service.defects).toEqual([]);
      // The load met faults, and most of it was answered.
      const happened = [...faults.counts.values()].reduce((sum, count) => sum + count, 0);
      expect(happened).toBeGreaterThan(40);
      expect(service.counts.errors).toBeGreaterThan(10);
      expect(service.counts.errors).toBeLessThan(service.counts.requests / 2);
    },
    180_000,
  );
});
