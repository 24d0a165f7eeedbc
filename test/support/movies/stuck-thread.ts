// Fake drawing thread: hangs on frames two pixels wide, exits on frames three pixels wide, and draws all others black.
import { parentPort } from 'node:worker_threads';
import type { DrawMessage, DrawRequest } from '../../../containers/movie/draw/thread.ts';

parentPort?.on('message', ({ id, recipe: { width, height } }: DrawRequest) => {
  if (width === 2) for (;;);
  if (width === 3) process.exit(9);
  parentPort?.postMessage({ kind: 'drawn', id, pixels: new Uint8Array(width * height * 3) } satisfies DrawMessage);
});
