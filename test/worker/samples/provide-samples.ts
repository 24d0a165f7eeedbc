// Makes the JP2 files of the worker tests in Node before workerd starts, because workerd cannot run the encoder.
import { basename } from 'node:path';
import type { TestProject } from 'vitest/node';
import { archivePath } from '../../../demo/image-file.ts';
import { MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { sampleFile } from '../../support/sample-files.ts';
import { useSampleMaps } from '../../support/sample-maps.ts';
import { localServer } from '../../support/system/local-server.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
const SHOTS = [NOON, NOON + 60_000].map((timeMs) => ({ sourceId: 10, timeMs, size: 256 }));

/** Images of the same source on another day, one a minute, whose pixels matter to no test. */
const MINUTES_FROM_MS = Date.UTC(2024, 4, 12, 10);
const MINUTES = Array.from({ length: 8 }, (_, i) => ({ sourceId: 10, timeMs: MINUTES_FROM_MS + i * MINUTE_MS, size: 64 }));

/** Size of SDO images; takes four seconds to make. */
const LARGE_SHOT = { sourceId: 10, timeMs: NOON + 120_000, size: 4096 };

/** A file of the sample archive with its bytes in base64. */
export interface SampleFile {
  readonly name: string;
  readonly base64: string;
}

/** What `sample-files.ts` reads. */
export interface SampleFiles {
  /** Files of one source at 12:00 and 12:01. */
  readonly samples: readonly SampleFile[];
  /** Eight files of the same source on another day, one a minute. */
  readonly minutes: readonly SampleFile[];
  readonly minutesFromMs: number;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the SampleFiles, because what is provided is copied to every test file. */
    sampleFiles: string;
    /** File of 4096x4096 pixels. */
    largeSample: { readonly name: string; readonly url: string };
  }
}

function named(shot: typeof LARGE_SHOT, jp2: Uint8Array): SampleFile {
  return { name: basename(archivePath(shot)), base64: Buffer.from(jp2).toString('base64') };
}

export default async function provideSamples(project: TestProject): Promise<() => Promise<void>> {
  useSampleMaps();
  const stored = async (shot: typeof LARGE_SHOT) => named(shot, await sampleFile(shot));
  const [samples, minutes] = await Promise.all([SHOTS, MINUTES].map((shots) => Promise.all(shots.map(stored))));
  const files: SampleFiles = { samples: samples!, minutes: minutes!, minutesFromMs: MINUTES_FROM_MS };
  const [json, large] = [JSON.stringify(files), await sampleFile(LARGE_SHOT)];
  const server = await localServer(({ url }, response) => response.end(url === '/large' ? large : json));
  project.provide('sampleFiles', server.url);
  project.provide('largeSample', { name: basename(archivePath(LARGE_SHOT)), url: `${server.url}/large` });
  return server.close;
}
