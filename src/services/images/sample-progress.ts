// Progress of the sample archive, which the local launcher adds while the service runs. Written by the launcher, read by
// `/health`.
import { z } from 'zod';
import { SAMPLE_PROGRESS_KEY } from '../../domain/archive/keys.ts';
import type { SampleProgress } from '../../domain/status/sample-progress.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import { jsonBytes } from '../../util/bytes.ts';
import { parsedJson } from '../../util/json.ts';

export const SAMPLE_PROGRESS: z.ZodType<SampleProgress> = z
  .strictObject({ done: z.int().min(0), total: z.int().min(1) })
  .refine(({ done, total }) => done <= total, { error: 'done is above total' });

/** The progress as an object of the archive, so that it survives a restart of the isolate. */
export class SampleProgressStore {
  readonly #objects: Pick<ObjectStore, 'head' | 'readAll' | 'put' | 'delete'>;
  #isUnderWay = false;

  constructor(objects: Pick<ObjectStore, 'head' | 'readAll' | 'put' | 'delete'>) {
    this.#objects = objects;
  }

  /**
   * Whether the launcher has reported to this isolate, which it does each second, that it is adding the sample. Nearest images
   * may then change at any time of the past.
   */
  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  /** @returns null when no sample is being added */
  async read(): Promise<SampleProgress | null> {
    if (!(await this.#objects.head(SAMPLE_PROGRESS_KEY))) return null;
    const bytes = await this.#objects.readAll(SAMPLE_PROGRESS_KEY);
    return bytes && (SAMPLE_PROGRESS.safeParse(parsedJson(bytes)).data ?? null);
  }

  /** @param progress null when the sample is complete */
  async write(progress: SampleProgress | null): Promise<void> {
    this.#isUnderWay = progress !== null;
    if (!progress) return this.#objects.delete(SAMPLE_PROGRESS_KEY);
    await this.#objects.put(SAMPLE_PROGRESS_KEY, jsonBytes(progress), 'application/json');
  }
}
