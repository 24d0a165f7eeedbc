import { open, stat } from 'node:fs/promises';
import type { MovieJob } from '../../../src/domain/movies/job.ts';
import type { ServiceClient } from './client.ts';

/** Stores the file at `path` under a name; its size in bytes. */
export async function storeFile(
  service: ServiceClient,
  job: MovieJob,
  name: string,
  path: string,
  signal: AbortSignal,
): Promise<number> {
  const { size } = await stat(path);
  const file = await open(path);
  try {
    const read = async (offset: number, length: number): Promise<Uint8Array> => {
      const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, offset);
      if (bytesRead !== length) throw new Error(`Expected ${length} bytes of ${name} from ${offset}, got ${bytesRead}.`);
      return buffer;
    };
    await service.store(job, name, { size, read }, signal);
    return size;
  } finally {
    await file.close();
  }
}
