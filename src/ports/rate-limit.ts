import type { LimitScope, RateLimitPolicy } from '../domain/errors.ts';

/** Whether a unit was admitted, and what is left of the period, which the platform's bindings do not say. */
export interface RateLimitCount {
  readonly success: boolean;
  readonly remaining?: number;
  readonly resetSeconds?: number | undefined;
  /** The limit of this client, where it is not that of the binding. */
  readonly policy?: RateLimitPolicy | undefined;
  readonly scope?: LimitScope;
}

/** Counts units of keys, of which a client with a factor has so many times as much. */
export interface RateCounter extends RateLimitBinding {
  limit(options: { key: string; factor?: number }): Promise<RateLimitCount>;
  left?(key: string, factor?: number): Omit<RateLimitCount, 'success'>;
}

/** The part of a Workers rate limiting binding that is used, and what it admits, where the settings say that. */
export interface RateLimitBinding {
  readonly policy?: RateLimitPolicy | undefined;
  /** Counts one unit of the key; not successful when its units of the period are used up. */
  limit(options: { key: string }): Promise<RateLimitCount>;
  left?(key: string): Omit<RateLimitCount, 'success'>;
}
