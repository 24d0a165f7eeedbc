// The resources of a local state folder, without a service.
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { resourcesIn } from '../../../src/cli/local/state-lock.ts';

/** Runs `work` with these resources of a state folder that no service uses. */
export async function withStateRuntime<T>(
  stateDir: string,
  resources: { readonly d1Databases?: Record<string, string>; readonly r2Buckets?: Record<string, string> },
  work: (runtime: Miniflare) => Promise<T>,
): Promise<T> {
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
