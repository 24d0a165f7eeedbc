// Settings of the npm commands.
import { z } from 'zod';
import { withoutEndSlash } from '../../util/url.ts';
import { address, optionalText, readVariables, type ValuesOf, type Variables, wholeNumber } from '../variable.ts';

const MAX_PORT = 65_535;
const MAX_MOVIE_WORKERS = 8;
const MAX_RUNTIME_MEMORY = 1_048_576;
/** A runtime that has just started takes up to 300 MiB, and would be restarted at once. */
const MIN_RUNTIME_MEMORY = 512;
const RUNTIME_MEMORY = `0 or a number from ${MIN_RUNTIME_MEMORY} to ${MAX_RUNTIME_MEMORY}`;

export const LAUNCHER_VARIABLES = {
  port: {
    name: 'PORT',
    type: wholeNumber(1, MAX_PORT, `a port from 1 to ${MAX_PORT}`).default(8787),
    unit: `1 to ${MAX_PORT}`,
    description: 'Port on 127.0.0.1 at which `npm start` listens.',
  },
  stateDir: {
    name: 'STATE_DIR',
    type: optionalText,
    unit: 'folder',
    description: 'Databases, objects, cache and secrets of the local service.',
    unset: '`.wrangler/state`',
  },
  hasSample: {
    name: 'SAMPLE',
    type: z
      .string()
      .transform((text) => text !== 'none')
      .default(true),
    unit: '`none`',
    description: 'With `none`, an empty archive stays empty.',
    unset: 'an empty archive gets the sample',
  },
  movieWorkers: {
    name: 'MOVIE_WORKERS',
    type: wholeNumber(0, MAX_MOVIE_WORKERS).default(2),
    unit: `0 to ${MAX_MOVIE_WORKERS}`,
    description: 'Movie workers that run beside the local service.',
  },
  runtimeMemory: {
    name: 'RUNTIME_MEMORY',
    type: wholeNumber(0, MAX_RUNTIME_MEMORY, RUNTIME_MEMORY)
      .refine((value) => value === 0 || value >= MIN_RUNTIME_MEMORY, RUNTIME_MEMORY)
      .default(3072),
    unit: `MiB, 0 or ${MIN_RUNTIME_MEMORY} to ${MAX_RUNTIME_MEMORY}`,
    description:
      'Memory of the local runtime after which it is restarted when it is idle, or from half as much again, each time after its open ' +
      'responses; 0 for no limit.',
  },
  serviceUrl: {
    name: 'HELIOEDGE_URL',
    type: address('an http address', ({ protocol }) => /^https?:$/.test(protocol))
      .transform(({ href }) => withoutEndSlash(href))
      .nullable()
      .default(null),
    unit: 'http address',
    description: 'Service to which `npm run ingest`, `mirror`, `sidecars`, `rhessi` and `ephemeris` send, with its ADMIN_TOKEN.',
    unset: '`http://127.0.0.1:$PORT`',
  },
} as const satisfies Variables;

/** @throws Failure that names the variable and what it has to be */
export function readLauncherSettings(env: object): ValuesOf<typeof LAUNCHER_VARIABLES> {
  return readVariables(LAUNCHER_VARIABLES, env);
}
