/** The part of a Workers rate limiting binding that is used. */
export interface RateLimitBinding {
  /** Counts one unit of the key; not successful when its units of the period are used up. */
  limit(options: { key: string }): Promise<{ success: boolean }>;
}
