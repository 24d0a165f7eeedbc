// Makes the JP2 files of the worker tests in Node before workerd starts, because workerd cannot run the encoder.
import { basename } from 'node:path';
import type { TestProject } from 'vitest/node';
import { archivePath, imageFile } from '../../../demo/image-file.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { sampleFile } from '../../support/sample-files.ts';
import { useSampleMaps } from '../../support/sample-maps.ts';
import { localServer } from '../../support/system/local-server.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
const SHOTS = [NOON, NOON + 60_000].map((timeMs) => ({ sourceId: 10, timeMs, size: 256 }));

/**
 * Images for the examples of hvpy, which ask for five minutes "15 days ago": six of each channel of their layers, one a minute. One
 * example asks for 16 days ago as well.
 */
function recentShots(todayMs: number) {
  const minutes = (days: number) => Math.floor((todayMs - days * DAY_MS) / MINUTE_MS) * MINUTE_MS;
  const sixMinutes = (sourceId: number, days: number) =>
    [0, 1, 2, 3, 4, 5].map((i) => ({ sourceId, timeMs: minutes(days) - i * MINUTE_MS, size: 64 }));
  return [...[10, 12, 13, 14].flatMap((sourceId) => sixMinutes(sourceId, 15)), ...sixMinutes(14, 16)];
}

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
  /** Images of 15 and 16 days before `todayMs`, the start of the tests, which stands for today. */
  readonly recent: { readonly todayMs: number; readonly files: readonly (SampleFile & { readonly sourceId: number })[] };
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
  const todayMs = Date.now();
  const made = recentShots(todayMs).map(async (shot) => ({ sourceId: shot.sourceId, ...named(shot, await imageFile(shot)) }));
  const files: SampleFiles = {
    samples: await Promise.all(SHOTS.map(stored)),
    recent: { todayMs, files: await Promise.all(made) },
  };
  const [json, large] = [JSON.stringify(files), await sampleFile(LARGE_SHOT)];
  const server = await localServer(({ url }, response) => response.end(url === '/large' ? large : json));
  project.provide('sampleFiles', server.url);
  project.provide('largeSample', { name: basename(archivePath(LARGE_SHOT)), url: `${server.url}/large` });
  return server.close;
}
