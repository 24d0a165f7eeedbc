// A drawing thread that never comes back from frames two pixels wide, dies of those three pixels wide, and draws all others at
// once: black.
import { parentPort } from 'node:worker_threads';
import type { DrawOrder, DrawReport } from '../../../containers/movie/draw/messages.ts';

parentPort?.on('message', ({ id, recipe: { width, height } }: DrawOrder) => {
  if (width === 2) for (;;);
  if (width === 3) process.exit(9);
  parentPort?.postMessage({ kind: 'drawn', id, pixels: new Uint8Array(width * height * 3) } satisfies DrawReport);
});
