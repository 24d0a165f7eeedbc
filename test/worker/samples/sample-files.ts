// The files of the sample archive that the tests of the Worker use, read once by each runtime.
import { inject } from 'vitest';
import type { SampleFiles } from './provide-samples.ts';

export const { samples, minutes, minutesFromMs } = (await (await fetch(inject('sampleFiles'))).json()) as SampleFiles;
