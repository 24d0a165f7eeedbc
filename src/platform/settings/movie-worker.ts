// Variables of the movie worker; containers/movie/settings.ts adds the defaults that depend on the machine.
import { z } from 'zod';
import { DAY_MS, SECOND_MS } from '../util/durations.ts';
import { decimalNumber, httpBase, optionalText, type Variables, wholeNumber } from './variable.ts';

/** Further threads would wait for the encoder. */
export const MAX_DEFAULT_DRAW_THREADS = 8;

const DAY_SECONDS = DAY_MS / SECOND_MS;

export const MOVIE_WORKER_VARIABLES = {
  SERVICE_URL: {
    type: httpBase('http://<host> or https://<host>'),
    unit: 'http address',
    description: 'Service from which the worker takes jobs.',
  },
  MOVIE_TOKEN: {
    type: z.string('the secret shared with the service'),
    description: 'Secret shared with the service.',
    isSecret: true,
    isInternal: true,
  },
  HOST: {
    type: z.string().default('127.0.0.1'),
    description: 'Address at which the worker listens. The container sets 0.0.0.0.',
    isInternal: true,
  },
  PORT: {
    type: wholeNumber(0, 65_535).default(8080),
    description: 'Port at which the worker listens; 0 takes a free one.',
  },
  WORKER_NAME: {
    type: optionalText,
    description: 'Name of the worker in logs and in the queue.',
    unset: 'a random one',
    isInternal: true,
  },
  WORK_DIR: {
    type: optionalText,
    description: 'Parent of the folder in which the worker keeps encoded video.',
    unset: '`helioedge-movies-<user id>` in the folder for temporary files',
    isInternal: true,
  },
  DRAW_THREADS: {
    type: wholeNumber(1, 64).nullable().default(null),
    description: 'Threads that draw frames.',
    unset: `one for each processor, at most ${MAX_DEFAULT_DRAW_THREADS}`,
  },
  POLL_SECONDS: {
    type: decimalNumber(0, DAY_SECONDS).default(0),
    unit: 'seconds',
    description: 'Interval at which the worker polls the service for work; 0 waits for a wake request.',
  },
  FFMPEG_PATH: {
    type: z.string().default('ffmpeg'),
    unit: 'path',
    description: 'ffmpeg with libx264 and libvpx-vp9. Without one, the embedded encoder is used.',
  },
} as const satisfies Variables;
