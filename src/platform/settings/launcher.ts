import { z } from 'zod';
import { httpBase, optional, optionalText, type Variables, wholeNumber } from './variable.ts';

export const LAUNCHER_VARIABLES = {
  PORT: {
    type: wholeNumber(1, 65_535, `a port from 1 to 65535`).default(8787),
    description: 'Port on 127.0.0.1 at which `npm start` listens.',
  },
  STATE_DIR: {
    type: optionalText,
    unit: 'folder',
    description: 'Databases, objects, cache and secrets of the local service.',
    unset: '`.wrangler/state`',
  },
  SAMPLE: {
    type: z
      .string()
      .transform((text) => text !== 'none')
      .default(true),
    unit: '`none`',
    description: 'With `none`, an empty archive stays empty.',
    unset: 'an empty archive gets the sample',
  },
  MOVIE_WORKERS: {
    type: wholeNumber(0, 8).default(2),
    description: 'Movie workers that run beside the local service.',
  },
  HANG_SECONDS: {
    type: wholeNumber(2, 3600).default(30),
    description: 'Time without a response after which `npm start` restarts the service or a movie worker.',
    isInternal: true,
  },
  HELIOEDGE_URL: {
    type: optional(httpBase()),
    description:
      'Service to which `npm run ingest`, `index`, `mirror`, `sidecars`, `reconcile`, `dead-letters`, `webhooks`, `rhessi` and `ephemeris` send, with its ADMIN_TOKEN; also that of `compare`, and of `deploy -- --check`, whose default is the deployed service.',
    unset: '`http://127.0.0.1:$PORT`',
  },
} as const satisfies Variables;
