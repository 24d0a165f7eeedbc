// Recent images of the sample Sun, as a service with the sample archive makes them when they are requested.
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { RECENT_BLOCK_MS, RECENT_CADENCE_MS } from '../src/domain/recent-sample.ts';
import { makeArchive, planSeries } from './archive.ts';
import { archivePath } from './image-file.ts';
import type { Shot } from './instruments/instrument.ts';

/** Side of the images, pixels: they are made while a client waits. */
const SIZE = 512;

/** Images that are worth a thread: its start takes as long as two or three of them. */
const IMAGES_PER_THREAD = 5;

export interface RecentShot extends Shot {
  readonly fileName: string;
}

/** The images of a block, given by its start. */
export function recentShots(sourceId: number, blockMs: number): RecentShot[] {
  const toMs = blockMs + RECENT_BLOCK_MS - 1;
  const shots = planSeries({ sources: [sourceId], fromMs: blockMs, toMs, cadenceMs: RECENT_CADENCE_MS, size: SIZE });
  return shots.map((shot) => ({ ...shot, fileName: basename(archivePath(shot)) }));
}

/** Writes the files of shots. @returns their paths */
export async function writeRecent(shots: readonly Shot[], folder: string, signal: AbortSignal): Promise<string[]> {
  const files: string[] = [];
  const concurrency = Math.min(availableParallelism(), Math.ceil(shots.length / IMAGES_PER_THREAD));
  await makeArchive({ shots }, folder, { onFile: (file) => files.push(file), signal, concurrency });
  return files;
}
