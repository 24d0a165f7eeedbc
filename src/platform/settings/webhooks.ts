import { z } from 'zod';
import type { Variables } from './variable.ts';

const FLAGS = ['true', 'false'] as const;

export const WEBHOOK_VARIABLES = {
  WEBHOOKS_TO_LOOPBACK: {
    type: z
      .enum(FLAGS, FLAGS.join(' or '))
      .default('false')
      .transform((text) => text === 'true'),
    description:
      'Whether webhooks may go to http addresses of this machine, for trying out a receiver. A deployment reaches none.',
    unset: '`false`',
  },
} as const satisfies Variables;
