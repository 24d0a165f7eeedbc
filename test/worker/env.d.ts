/// <reference types="@cloudflare/vitest-plugin/types" />
// Types of the bindings that tests import from `cloudflare:workers`.
declare namespace Cloudflare {
  type WorkerEnv = import('../../src/worker/platform.ts').Env;
  interface GlobalProps {
    mainModule: typeof import('../../src/worker/index.ts');
  }
  interface Env extends WorkerEnv {
    readonly MIGRATIONS: string[];
    readonly OPERATIONS_MIGRATIONS: string[];
    readonly IMAGE_MIGRATIONS: string[];
    /** The odd shards; IMAGES has the even ones. */
    readonly IMAGES_ODD: D1Database;
    /** An image database without shards. */
    readonly IMAGES_SPARE: D1Database;
  }
}

declare module '*.toml?raw' {
  const text: string;
  export default text;
}
