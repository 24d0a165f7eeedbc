// A service over databases and objects in memory, which an upstream or a client fills.
import { createHash } from 'node:crypto';
import type { MirrorCommands } from '../../../src/operator/admin-scopes.ts';
import { MemoryObjectStore } from '../memory/object-store.ts';
import { type Overrides, servedApp, testServices } from '../test-services.ts';

export const ADMIN_TOKEN = 'a-token-of-the-mirror-tests';

export function filledArchive(overrides: Overrides = {}) {
  const objects = new MemoryObjectStore();
  const services = testServices({ variables: { ADMIN_TOKEN }, objects, ...overrides });
  const { knownNames: known, ingest, mirrorCommands } = services;
  const archive = { known, add: (fileName: string, jp2: Uint8Array) => ingest({ fileName, jp2, replace: false }) };
  const steps: Promise<unknown>[] = [];
  const step: MirrorCommands['step'] = (...given) => {
    const result = mirrorCommands.step(...given);
    steps.push(result);
    return result;
  };
  return {
    services,
    databases: services.databases,
    objects,
    archive,
    /** Waits for the steps of mirrors, also those of commands that were killed. */
    settled: () => Promise.allSettled(steps),
    /** Public operations, and those of the operator. */
    fetch: servedApp({ ...services, mirrorCommands: { ...mirrorCommands, step } }).request,
    /** Size and SHA-256 of every archived file by its path. */
    manifest: () =>
      Object.fromEntries(
        [...objects.objects]
          .filter(([key]) => key.startsWith('jp2/'))
          .map(([key, bytes]) => [key.slice('jp2/'.length), fingerprint(bytes)] as const)
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
  };
}

/** Size and SHA-256. */
export const fingerprint = (bytes: Uint8Array) => `${bytes.length} ${createHash('sha256').update(bytes).digest('hex')}`;
