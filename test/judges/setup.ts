// The packages of the judges, and the service that they judge: started as by `npm start`, over sample images.
import type { TestProject } from 'vitest/node';
import { seriesShots } from '../../demo/archive.ts';
import { DAY_MS, HOUR_MS } from '../../src/platform/util/durations.ts';
import { serveArchive } from '../support/served-archive.ts';
import { installPackages } from './packages.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the service. */
    judged: string;
  }
}

const NOON = Date.UTC(2024, 4, 10, 12);
const SEVEN = Date.UTC(2002, 4, 10, 7);
const at = (sources: number[], fromMs: number, size: number, toMs = fromMs) =>
  seriesShots({ sources, fromMs, toMs, cadenceMs: HOUR_MS, size });

/** AIA 171 at three hours of a day and at noon of the three before, AIA 1700, EUI FSI 174, eight others, and TRACE 1600 of 2002. */
const SHOTS = [
  ...[3, 2, 1].flatMap((days) => at([10], NOON - days * DAY_MS, 256)),
  ...at([10], NOON, 256, NOON + 2 * HOUR_MS),
  ...at([16, 84], NOON, 1024),
  ...at([11, 13, 18, 0, 4, 5, 21, 32], NOON, 256),
  ...at([80], SEVEN, 512),
];

export default async function serveToJudges(project: TestProject): Promise<() => Promise<void>> {
  await installPackages();
  const archive = await serveArchive(SHOTS, { MOVIE_WORKERS: '1' });
  project.provide('judged', archive.service.url);
  return archive.close;
}
