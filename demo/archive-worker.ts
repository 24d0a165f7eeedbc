// A thread that makes the files it is told to, one at a time.

import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { imageFile } from './image-file.ts';
import type { Shot } from './instruments/instrument.ts';

export interface Order {
  readonly shot: Shot;
  readonly file: string;
}

export type Report = { readonly bytes: number } | { readonly error: string };

/** Writes beside the place, then renames: what has the name is whole. */
async function make({ shot, file }: Order): Promise<Report> {
  const bytes = await imageFile(shot);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.part`, bytes);
  await rename(`${file}.part`, file);
  return { bytes: bytes.length };
}

parentPort?.on('message', (order: Order) => {
  make(order).then(
    (report) => parentPort?.postMessage(report),
    (error: unknown) => parentPort?.postMessage({ error: error instanceof Error ? error.message : String(error) }),
  );
});
