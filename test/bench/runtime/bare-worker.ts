// A Worker of a few lines in the runtime of the service, which benches compare with the service.
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { workerdProcesses } from '../memory.ts';

const FEW_LINES = "export default { fetch() { return new Response('OK'); } };";

/** Runs `work` with the address of the Worker and the process ids of its runtime. */
export async function withBareWorker<T>(work: (url: string, pids: readonly string[]) => Promise<T>): Promise<T> {
  const others = workerdProcesses();
  const bare = new Miniflare(convertV4MiniflareOptions({ modules: true, script: FEW_LINES, cf: false, host: '127.0.0.1' }));
  try {
    const { origin } = await bare.ready;
    return await work(
      origin,
      workerdProcesses().filter((pid) => !others.includes(pid)),
    );
  } finally {
    await bare.dispose();
  }
}
