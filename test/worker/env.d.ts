/// <reference types="@cloudflare/vitest-plugin/types" />
// The bindings as `cloudflare:workers` shows them to tests.
declare namespace Cloudflare {
  type WorkerEnv = import('../../src/env.ts').Env;
  interface GlobalProps {
    mainModule: typeof import('../../src/index.ts');
  }
  interface Env extends WorkerEnv {
    readonly MIGRATIONS: import('cloudflare:test').D1Migration[];
  }
}
