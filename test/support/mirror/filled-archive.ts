// A service with a real ingest, index and API, over databases and objects in memory.
import { createHash } from 'node:crypto';
import { memoryLimits } from '../../../src/config/limits/memory.ts';
import { memberSources } from '../../../src/domain/catalogue/xrt.ts';
import { SIDECAR_VERSION } from '../../../src/imaging/jp2/sidecar.ts';
import { ingest } from '../../../src/services/images/ingest.ts';
import { inspectJp2 } from '../../../src/services/images/inspect-jp2.ts';
import { knownNames } from '../../../src/services/mirror/known-names.ts';
import { ownArchive } from '../../../src/services/mirror/own-archive.ts';
import { D1BulkRegister } from '../../../src/storage/images/d1-bulk-register.ts';
import { D1ImageIndex } from '../../../src/storage/images/d1-image-index.ts';
import { D1ImageRegister } from '../../../src/storage/images/d1-image-register.ts';
import { D1UploadJournal } from '../../../src/storage/images/d1-upload-journal.ts';
import { MemoryBudget } from '../../../src/util/memory-budget.ts';
import { adminApp } from '../memory/admin-routes.ts';
import { MemoryIdSequences } from '../memory/id-sequences.ts';
import { MemoryObjectStore } from '../memory/object-store.ts';
import { databasesIn, migrated } from '../memory/sqlite-d1.ts';
import { testArchive } from '../test-archive.ts';

export const ADMIN_TOKEN = 'a-token-of-the-mirror-tests';

export function filledArchive(clock: () => number = Date.now) {
  const databases = databasesIn(migrated());
  const ids = new MemoryIdSequences();
  const objects = new MemoryObjectStore();
  const index = new D1ImageIndex(databases, (id) => (memberSources(id).length > 0 ? memberSources(id) : [id]));
  const register = new D1BulkRegister(databases, ids);
  const ports = {
    index,
    register: new D1ImageRegister(databases, ids),
    journal: new D1UploadJournal(databases, clock),
    objects,
    facts: { write: async () => undefined, delete: async () => undefined },
    caches: { purge: async () => undefined },
    inspect: inspectJp2,
    coefficients: { makeFirst: async () => undefined },
    clock,
    sidecarVersion: SIDECAR_VERSION,
  };
  const indexing = {
    register,
    journal: ports.journal,
    objects,
    facts: { forget: async () => undefined },
    clock,
    memory: new MemoryBudget(memoryLimits()),
    log: () => undefined,
  };
  const known = (names: readonly string[]) => knownNames(register, names);
  const admin = adminApp({ token: ADMIN_TOKEN, index, ingest: (file) => ingest(ports, file), knownNames: known });
  const { app } = testArchive({ index, objects, clock });
  return {
    databases,
    ports,
    /** Ports of indexing in place. */
    indexing,
    archive: ownArchive(register, (file) => ingest(ports, file)),
    /** Public operations, and those of the operator. */
    fetch: async (request: Request): Promise<Response> =>
      new URL(request.url).pathname.startsWith('/admin') ? admin.request(request) : app.request(request),
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
