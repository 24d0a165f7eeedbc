import type { RateLimitBinding } from '../../../src/ports/rate-limit.ts';

/** Admits everything. */
export const unlimited: RateLimitBinding = { limit: async () => ({ success: true }) };
