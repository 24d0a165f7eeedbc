import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { FirstArchive, type Sample, type Stage, type StageOptions } from '../../../src/cli/local/first-archive.ts';
import { MemoryAdminClient } from '../../support/memory/admin-client.ts';
import { testFolder } from '../../support/system/test-folder.ts';

const it = test.extend('client', () => new MemoryAdminClient()).extend('sample', () => new FakeSample());

const stateDir = testFolder('each test');

/** A sample of these files that counts how often it is opened and notes what it writes. */
class FakeSample implements Sample<string> {
  readonly stages: Record<Stage, readonly string[]>;
  readonly written: string[] = [];
  opened = 0;
  /** Fails before this file, once `beforeFailure` allows it. */
  failsAt: string | null = null;
  beforeFailure: () => unknown = () => undefined;

  constructor(first: readonly string[] = ['a.jp2', 'b.jp2'], rest: readonly string[] = ['c.jp2', 'd.jp2']) {
    this.stages = { first, rest, recent: ['today.jp2', 'yesterday.jp2'] };
  }

  nameOf = (name: string) => name;

  async make(_: Stage, names: readonly string[], folder: string, { onFile }: StageOptions): Promise<void> {
    await mkdir(folder, { recursive: true });
    for (const name of names) {
      if (name === this.failsAt) {
        await this.beforeFailure();
        throw new Error('killed');
      }
      const file = join(folder, name);
      if (!(await stat(file).catch(() => null))) {
        await writeFile(file, name);
        this.written.push(name);
      }
      onFile(file);
    }
  }

  readonly additions: boolean[] = [];

  readonly open = async (isAddition: boolean): Promise<Sample> => {
    this.additions.push(isAddition);
    this.opened += 1;
    return this;
  };
}

const archiveOf = (sample: FakeSample) => new FirstArchive({ stateDir, openSample: sample.open });
const images = (client: MemoryAdminClient) => [...client.images].sort();

/** Both stages, as a start that nothing interrupts. */
async function fill(client: MemoryAdminClient, sample: FakeSample): Promise<boolean> {
  const archive = archiveOf(sample);
  const isFilling = await archive.fillFirst(client);
  if (isFilling) await archive.fillRest(client);
  return isFilling;
}

it('the first start fills an empty archive with the sample, once', async ({ client, sample }) => {
  expect(await fill(client, sample)).toBe(true);
  expect(images(client)).toEqual(['a.jp2', 'b.jp2', 'c.jp2', 'd.jp2']);
  client.images.clear();
  expect(await fill(client, sample)).toBe(false);
  expect([sample.opened, client.images.size]).toEqual([1, 0]);
});

it('the first start makes the first stage before the service runs, in a state folder that is new', async ({ client, sample }) => {
  const archive = archiveOf(sample);
  await archive.prepare(true);
  await expect.poll(() => sample.written).toEqual(['a.jp2', 'b.jp2']);
  await archive.fillFirst(client);
  expect([images(client), sample.written]).toEqual([
    ['a.jp2', 'b.jp2'],
    ['a.jp2', 'b.jp2'],
  ]);
});

it('the first start makes nothing before the service runs where the archive may have images', async ({ sample }) => {
  await archiveOf(sample).prepare(false);
  expect([sample.opened, await readdir(stateDir)]).toEqual([0, []]);
});

it('the first start reports the progress to the service, and withdraws the report at the end', async ({ client, sample }) => {
  const archive = archiveOf(sample);
  await archive.fillFirst(client);
  expect([client.reports[0], client.reports.at(-1)]).toEqual([
    { done: 0, total: 4 },
    { done: 2, total: 4 },
  ]);
  await archive.fillRest(client);
  expect(client.reports.slice(-2)).toEqual([{ done: 4, total: 4 }, null]);
});

it('the first start leaves an archive with images unchanged, and withdraws a stale report', async ({ client, sample }) => {
  client.images.add('own.jp2');
  expect(await fill(client, sample)).toBe(false);
  expect([sample.opened, client.reports]).toEqual([0, [null]]);
});

it('the first start makes and ingests only what is missing after an interruption in the second stage', async () => {
  const [client, killed, next] = [new MemoryAdminClient(), new FakeSample(), new FakeSample()];
  killed.failsAt = 'd.jp2';
  killed.beforeFailure = () => vi.waitUntil(() => client.images.has('c.jp2'));
  await expect(fill(client, killed)).rejects.toThrow('killed');
  expect(images(client)).toEqual(['a.jp2', 'b.jp2', 'c.jp2']);
  await archiveOf(next).prepare(false);
  await fill(client, next);
  expect(next.written).toEqual(['d.jp2']);
  expect(client.puts.toSorted()).toEqual(['a.jp2', 'b.jp2', 'c.jp2', 'd.jp2']);
  expect(await readdir(stateDir)).toEqual(['sample-state']);
});

it('the first start fails with the reason when a sample file is refused', async () => {
  const filled = fill(new MemoryAdminClient(), new FakeSample(['bad.jp2']));
  await expect(filled).rejects.toThrow(/^The sample file .*bad\.jp2 was not accepted\. Expected a box, got noise\.$/);
});

it('the first start completes the sample without files that have been withdrawn meanwhile', async ({ client }) => {
  expect(await fill(client, new FakeSample(['withdrawn.jp2', 'a.jp2']))).toBe(true);
  expect(images(client)).toEqual(['a.jp2', 'c.jp2', 'd.jp2']);
});

it('the recent images adds the recent images that are missing at each start, and leaves no files', async ({ client, sample }) => {
  await fill(client, sample);
  client.images.add('today.jp2');
  await archiveOf(sample).fillRecent(client);
  await archiveOf(sample).fillRecent(client);
  expect(client.puts.slice(4)).toEqual(['yesterday.jp2']);
  const archive = archiveOf(sample);
  await archive.fillRecent(client);
  sample.stages.recent = ['twenty minutes later.jp2', 'yesterday.jp2'];
  await archive.fillRecent(client, true);
  expect(client.puts.slice(5)).toEqual(['twenty minutes later.jp2']);
  expect(sample.additions.slice(-2)).toEqual([false, true]);
  expect(await readdir(stateDir)).toEqual(['sample-state']);
});

it('the recent images adds no recent images to an archive without the complete sample', async ({ client, sample }) => {
  await archiveOf(sample).fillRecent(client);
  await archiveOf(sample).fillFirst(client);
  await archiveOf(sample).fillRecent(client);
  expect(images(client)).toEqual(['a.jp2', 'b.jp2']);
});
