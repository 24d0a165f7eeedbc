// Makes the JP2 files of the worker tests in Node before workerd starts, because workerd cannot run the encoder.
import { basename } from 'node:path';
import type { TestProject } from 'vitest/node';
import { archivePath, imageFile } from '../../demo/image-file.ts';
import { useSampleMaps } from '../support/sample-maps.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
const SHOTS = [NOON, NOON + 60_000].map((timeMs) => ({ sourceId: 10, timeMs, size: 256 }));

/** Size of SDO images; takes four seconds to make. */
const LARGE_SHOT = { sourceId: 10, timeMs: NOON + 120_000, size: 4096 };

/** A file of the sample archive with its bytes in base64. */
export interface SampleFile {
  readonly name: string;
  readonly base64: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    samples: readonly SampleFile[];
    /** 4096x4096 pixels. */
    largeSample: SampleFile;
  }
}

async function sampleFile(shot: typeof LARGE_SHOT): Promise<SampleFile> {
  return { name: basename(archivePath(shot)), base64: Buffer.from(await imageFile(shot)).toString('base64') };
}

export default async function provideSamples(project: TestProject): Promise<void> {
  useSampleMaps();
  project.provide('samples', await Promise.all(SHOTS.map(sampleFile)));
  project.provide('largeSample', await sampleFile(LARGE_SHOT));
}
