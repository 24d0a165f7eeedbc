// Makes the JP2 files of the worker tests, in Node, before workerd starts: workerd cannot run the encoder.
import { basename } from 'node:path';
import type { TestProject } from 'vitest/node';
import { archivePath, imageFile } from '../../src/cli/sample/image-file.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
const SHOTS = [NOON, NOON + 60_000].map((timeMs) => ({ sourceId: 10, timeMs, size: 256 }));

/** A file of the sample archive: its name and its bytes in base64. */
export interface SampleFile {
  readonly name: string;
  readonly base64: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    samples: readonly SampleFile[];
  }
}

export default async function provideSamples(project: TestProject): Promise<void> {
  const samples = SHOTS.map(async (shot) => {
    return { name: basename(archivePath(shot)), base64: Buffer.from(await imageFile(shot)).toString('base64') };
  });
  project.provide('samples', await Promise.all(samples));
}
