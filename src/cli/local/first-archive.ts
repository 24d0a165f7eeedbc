// The sample archive of a new service: `npm start` waits for the first stage, the second runs behind it. Each start adds recent images.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { MakeOptions } from '../../../demo/archive.ts';
import type { SampleProgress } from '../../archive/sample-progress.ts';
import { Service } from '../../platform/util/service.ts';
import { showProgress } from '../command.ts';
import type { AdminClient } from '../ingest/admin-client.ts';
import { fileSource, type Jp2Source } from '../ingest/jp2-sources.ts';
import { uploadAll } from '../ingest/upload.ts';

/** Uploads at once. Those behind the service leave it free for its users. */
const PARALLEL_UPLOADS = { first: 4, rest: 1, recent: 1 } as const;
const REPORT_INTERVAL_MS = 1_000;

export type Stage = keyof typeof PARALLEL_UPLOADS;

export type StageOptions = Required<Pick<MakeOptions, 'onFile' | 'signal'>>;

export interface Sample<Shot = unknown> {
  /** Images by stage; the recent ones move with the clock. */
  readonly stages: Readonly<Record<Stage, readonly Shot[]>>;
  nameOf(shot: Shot): string;
  /** Writes the files of shots of a stage into a folder, except those that are there already. */
  make(stage: Stage, shots: readonly Shot[], folder: string, options: StageOptions): Promise<unknown>;
}

/** Fills an archive that is empty and never had the sample. The next start resumes an interrupted sample from the files in the state folder. */
export class FirstArchive extends Service<{
  readonly stateDir: string;
  /** Receives whether its recent images are to be added to those of the same run. */
  readonly openSample: (isAddition: boolean) => Promise<Sample>;
}> {
  readonly #stamp = join(this.ports.stateDir, 'sample-state');
  readonly #folder = join(this.ports.stateDir, 'sample');
  readonly #stopping = new AbortController();
  #sample: Sample | undefined;
  /** Files of the first stage when `prepare` began it. */
  #prepared: AsyncIterable<Jp2Source> | undefined;
  #ingested = 0;
  #reportedAt = -Infinity;
  #reporting: Promise<void> = Promise.resolve();

  /** Begins to make the first stage while the service is not running yet. @param isNew whether the archive is known to be empty */
  async prepare(isNew: boolean): Promise<void> {
    const state = await this.#state();
    if (state !== 'begun' && !(isNew && state === '')) return;
    await this.#begin();
    this.#prepared = this.#make('first');
  }

  /** Makes and ingests the first stage. @returns false where no sample is needed @throws Error when a file cannot be made or is not accepted */
  async fillFirst(client: AdminClient): Promise<boolean> {
    const state = await this.#state();
    if (state === 'complete' || (state === '' && !(await client.isEmpty()))) {
      await client.reportSample(null);
      return false;
    }
    await this.#begin();
    await this.#fill('first', client, this.#prepared ?? this.#make('first'));
    return true;
  }

  /** Makes and ingests the second stage, and removes the files. @throws Error as `fillFirst`, or after `stop` */
  async fillRest(client: AdminClient): Promise<void> {
    try {
      await this.#fill('rest', client, this.#make('rest'));
    } finally {
      if (!this.#stopping.signal.aborted) await this.#report(client, null);
    }
    this.#stopping.signal.throwIfAborted();
    await writeFile(this.#stamp, 'complete\n');
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Adds the recent images that an archive with the complete sample lacks. @throws Error as `fillRest` */
  async fillRecent(client: AdminClient, isAddition = false): Promise<void> {
    if ((await this.#state()) !== 'complete') return;
    this.#sample = await this.ports.openSample(isAddition);
    const { stages, nameOf } = this.#sample;
    const known = await client.known(stages.recent.map(nameOf));
    const missing = stages.recent.filter((shot) => !known.has(nameOf(shot)));
    if (missing.length === 0) return;
    await this.#upload('recent', client, this.#make('recent', missing));
    this.#stopping.signal.throwIfAborted();
    await rm(this.#folder, { recursive: true, force: true });
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #state(): Promise<string> {
    return (await readFile(this.#stamp, 'utf8').catch(() => '')).trim();
  }

  async #begin(): Promise<void> {
    this.#sample ??= await this.ports.openSample(false);
    await writeFile(this.#stamp, 'begun\n');
  }

  #make(stage: Stage, shots = this.#sample!.stages[stage]): AsyncIterable<Jp2Source> {
    const files = new PassThrough({ objectMode: true });
    // The reader of the files gets a failure as a rejection; without a listener it would end the process before.
    files.on('error', () => undefined);
    const onFile = (file: string) => files.write(fileSource(file));
    this.#sample!.make(stage, shots, this.#folder, { onFile, signal: this.#stopping.signal }).then(
      () => files.end(),
      (error: Error) => files.destroy(error),
    );
    return files;
  }

  /** @throws Error for the first file that is not accepted */
  async #upload(
    stage: Stage,
    client: AdminClient,
    files: AsyncIterable<Jp2Source>,
    onProgress: (done: number) => void = () => undefined,
  ): Promise<void> {
    const options = { concurrency: PARALLEL_UPLOADS[stage], interrupted: this.#stopping.signal, onProgress };
    const { first: failure } = await uploadAll(client, files, options);
    if (failure) throw new Error(`The sample file ${failure.label} was not accepted. ${failure.sentence}`);
  }

  async #fill(stage: Stage, client: AdminClient, files: AsyncIterable<Jp2Source>): Promise<void> {
    const { first, rest } = this.#sample!.stages;
    const total = first.length + rest.length;
    const before = this.#ingested;
    const progress = showProgress('sample archive', stage === 'first');
    await this.#report(client, { done: before, total });
    await this.#upload(stage, client, files, (done) => {
      this.#ingested = before + done;
      progress.update(this.#ingested, total);
      if (performance.now() - this.#reportedAt < REPORT_INTERVAL_MS) return;
      // The next report makes up for one that fails.
      void this.#report(client, { done: this.#ingested, total }).catch(() => undefined);
    });
    progress.finish();
    await this.#report(client, { done: this.#ingested, total });
  }

  /** Reports one after another, because a report that overtakes the last one would stay at the service. */
  #report(client: AdminClient, progress: SampleProgress | null): Promise<void> {
    this.#reportedAt = performance.now();
    this.#reporting = this.#reporting.catch(() => undefined).then(() => client.reportSample(progress));
    return this.#reporting;
  }
}
