// Progress of the sample archive, written by the local launcher, which adds it while the service runs, and read by `/health`.
import { z } from 'zod';
import type { ObjectStore } from '../platform/storage/r2-object-store.ts';
import { jsonBytes, parsedJson } from '../platform/util/bytes.ts';
import { Service } from '../platform/util/service.ts';
import { SAMPLE_PROGRESS_KEY } from './keys.ts';

/** Images in the archive so far, and in the whole sample. */
export const SAMPLE_PROGRESS = z
  .strictObject({ done: z.int().min(0), total: z.int().min(1) })
  .refine(({ done, total }) => done <= total, { error: 'done is above total' });

export type SampleProgress = z.infer<typeof SAMPLE_PROGRESS>;

/** The progress as an object of the archive, so that it survives a restart of the isolate. */
export class SampleProgressStore extends Service<Pick<ObjectStore, 'head' | 'readAll' | 'put' | 'delete'>> {
  /** Whether the launcher reports to this isolate, each second, that it adds the sample: nearest images may change at any time. */
  isUnderWay = false;

  /** @returns null when no sample is being added */
  async read(): Promise<SampleProgress | null> {
    if (!(await this.ports.head(SAMPLE_PROGRESS_KEY))) return null;
    const bytes = await this.ports.readAll(SAMPLE_PROGRESS_KEY);
    return bytes && (SAMPLE_PROGRESS.safeParse(parsedJson(bytes)).data ?? null);
  }

  /** @param progress null when the sample is complete */
  async write(progress: SampleProgress | null): Promise<void> {
    this.isUnderWay = progress !== null;
    if (!progress) return this.ports.delete(SAMPLE_PROGRESS_KEY);
    await this.ports.put(SAMPLE_PROGRESS_KEY, jsonBytes(progress), 'application/json');
  }
}
