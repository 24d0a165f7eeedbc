import type { RateLimitBinding } from '../../../src/platform/admission/rate-limit.ts';

/** Admits everything. */
export const unlimited: RateLimitBinding = { limit: async () => ({ success: true }) };
