// A runtime without a Worker on the resources of a state folder, for what the running service does not do.
import type { Miniflare } from 'miniflare';
import { resourcesIn } from './database-files.ts';

/** Ids of databases and names of buckets by their bindings. */
interface Resources {
  readonly d1Databases?: Record<string, string>;
  readonly r2Buckets?: Record<string, string>;
}

/** Runs `work` with these resources of a state folder that no service uses. */
export async function withStateRuntime<T>(
  stateDir: string,
  resources: Resources,
  work: (runtime: Miniflare) => Promise<T>,
): Promise<T> {
  const { convertV4MiniflareOptions, Miniflare } = await import('miniflare');
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: '',
      cf: false,
      resourcePersistencePath: resourcesIn(stateDir),
      ...resources,
    }),
  );
  try {
    return await work(runtime);
  } finally {
    await runtime.dispose();
  }
}
