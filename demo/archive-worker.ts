// Worker thread of the sample archive: renders and writes one file per order.
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { imageFile } from './image-file.ts';
import type { Shot } from './instruments/instrument.ts';
import { shareMaps } from './sun/sphere-maps.ts';

export interface ThreadOptions {
  /** Shared memory of the noise maps, which the threads compute together. */
  readonly maps: SharedArrayBuffer;
  /** 0 to 19, as of `nice`. */
  readonly niceness: number;
}

export type Order = { readonly shot: Shot; readonly file: string };

const { maps, niceness } = workerData as ThreadOptions;
shareMaps(maps);
// Process 0 is the calling thread on Linux, so that the service beside it keeps its priority.
if (niceness > 0) setPriority(0, niceness);

/** Writes to a temporary name and renames, so that a file with its final name is always complete. Sends its length; a failure ends the thread. */
parentPort?.on('message', async ({ shot, file }: Order) => {
  const bytes = await imageFile(shot);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.part`, bytes);
  await rename(`${file}.part`, file);
  parentPort?.postMessage(bytes.length);
});
