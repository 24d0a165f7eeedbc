/// <reference types="@cloudflare/vitest-plugin/types" />
// Types of the bindings that tests import from `cloudflare:workers`.
declare namespace Cloudflare {
  type WorkerEnv = import('../../src/env.ts').Env;
  interface GlobalProps {
    mainModule: typeof import('../../src/index.ts');
  }
  interface Env extends WorkerEnv {
    readonly MIGRATIONS: import('cloudflare:test').D1Migration[];
  }
}
