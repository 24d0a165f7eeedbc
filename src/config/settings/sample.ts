// Setting of the sample archive.
import { httpBase, readVariables, type ValuesOf, type Variables } from '../variable.ts';

export const SAMPLE_VARIABLES = {
  recentUrl: {
    name: 'RECENT_SAMPLE_URL',
    type: httpBase().nullable().default(null),
    unit: 'http address',
    description: 'Server that adds recent images of the sample Sun when they are requested.',
    unset: 'no recent images are made',
    isChosenByStart: true,
  },
} as const satisfies Variables;

/** @throws Failure that names the variable and what it has to be */
export function readSampleSettings(env: object): ValuesOf<typeof SAMPLE_VARIABLES> {
  return readVariables(SAMPLE_VARIABLES, env);
}
