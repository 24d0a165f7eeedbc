// Progress of the sample archive, which the local launcher adds while the service runs. Written by the launcher, read by
// `/health`.
import { z } from 'zod';
import type { ObjectStore } from '../../ports/objects.ts';
import { SAMPLE_PROGRESS_KEY } from '../../storage/keys.ts';

const progressSchema = z
  .object({ done: z.int().min(0), total: z.int().min(1) })
  .refine(({ done, total }) => done <= total, { error: 'done is above total' });

/** Images in the archive so far, and in the whole sample. */
export type SampleProgress = z.infer<typeof progressSchema>;

/** @returns null for invalid text */
export function parseSampleProgress(text: string): SampleProgress | null {
  try {
    return progressSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** @returns null when no sample is being added */
export async function readSampleProgress(objects: Pick<ObjectStore, 'head' | 'readAll'>): Promise<SampleProgress | null> {
  if (!(await objects.head(SAMPLE_PROGRESS_KEY))) return null;
  const bytes = await objects.readAll(SAMPLE_PROGRESS_KEY);
  return bytes && parseSampleProgress(new TextDecoder().decode(bytes));
}

export async function writeSampleProgress(
  objects: Pick<ObjectStore, 'put' | 'delete'>,
  progress: SampleProgress | null,
): Promise<void> {
  if (!progress) return objects.delete(SAMPLE_PROGRESS_KEY);
  await objects.put(SAMPLE_PROGRESS_KEY, new TextEncoder().encode(JSON.stringify(progress)), 'application/json');
}
