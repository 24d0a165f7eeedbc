/** Path of the program below the project root. */
export const WRANGLER = 'node_modules/wrangler/bin/wrangler.js';

/** Environment that keeps wrangler and workerd off the network and their files in `stateDir`. */
export function offlineEnvironment(stateDir: string): Record<string, string> {
  return {
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_SEND_ERROR_REPORTS: 'false',
    WRANGLER_HIDE_BANNER: 'true',
    WRANGLER_LOG: 'warn',
    WRANGLER_WRITE_LOGS: 'false',
    WRANGLER_REGISTRY_PATH: `${stateDir}/registry`,
    X_LOCAL_OBSERVABILITY: 'false',
    X_LOCAL_EXPLORER: 'false',
  };
}
