// A service with a real ingest, index and API, over databases and objects in memory.
import { createHash } from 'node:crypto';
import { D1ImageIndex } from '../../../src/archive/image-index/d1-image-index.ts';
import { D1ImageRegister } from '../../../src/archive/image-index/d1-image-register.ts';
import { D1UploadJournal } from '../../../src/archive/image-index/d1-upload-journal.ts';
import { D1Withdrawals } from '../../../src/archive/image-index/d1-withdrawals.ts';
import { ingest } from '../../../src/archive/ingest/ingest.ts';
import { inspectJp2 } from '../../../src/archive/ingest/inspect-jp2.ts';
import { SIDECAR_VERSION } from '../../../src/jp2/sidecar.ts';
import type { CommandedUpstream, MirrorCommands } from '../../../src/operator/admin-scopes.ts';
import { D1MirrorState } from '../../../src/operator/mirror/d1-mirror-state.ts';
import { commandedStep } from '../../../src/operator/mirror/mirror-step.ts';
import { mirrorUpstream } from '../../../src/operator/mirror/upstream/mirror-upstream.ts';
import { MIRROR_REQUESTS, MIRROR_STEP } from '../../../src/platform/limits/mirror.ts';
import { anyMemory } from '../memory/any-memory.ts';
import { MemoryIdSequences } from '../memory/id-sequences.ts';
import { MemoryObjectStore } from '../memory/object-store.ts';
import { databasesIn, migrated } from '../memory/sqlite-d1.ts';
import { testArchive } from '../test-archive.ts';

export const ADMIN_TOKEN = 'a-token-of-the-mirror-tests';

export function filledArchive(clock: () => number = Date.now) {
  const databases = databasesIn(migrated());
  const ids = new MemoryIdSequences();
  const objects = new MemoryObjectStore();
  const index = new D1ImageIndex(databases);
  const register = new D1ImageRegister(databases, ids);
  const ports = {
    index,
    register,
    withdrawals: new D1Withdrawals(databases),
    journal: new D1UploadJournal(databases, clock),
    objects,
    records: { write: async () => undefined, forget: async () => undefined, idsOf: async () => [] },
    caches: { purge: async () => undefined },
    inspect: inspectJp2,
    coefficients: { makeFirst: async () => undefined },
    surveys: { makeFirst: async () => undefined },
    clock,
    sidecarVersion: SIDECAR_VERSION,
  };
  const indexing = { ...ports, memory: anyMemory(), log: () => undefined };
  const known = (names: readonly string[]) => register.known(names);
  const archive = { known, add: (fileName: string, jp2: Uint8Array) => ingest(ports, { fileName, jp2, replace: false }) };
  const upstreamOf = ({ kind, address, perSecond, parallel }: CommandedUpstream) =>
    mirrorUpstream(kind, address, { ...MIRROR_REQUESTS, ...MIRROR_STEP, perSecond, parallel, attempts: 4, longestWaitMs: 200 });
  const steps: Promise<unknown>[] = [];
  const mirrorCommands: MirrorCommands = {
    sources: (upstream) => upstreamOf(upstream).sources(),
    step: (upstream, step) => {
      const state = new D1MirrorState(databases, `${upstream.address} from ${step.scope.fromMs}`, clock);
      const result = commandedStep({ upstream: upstreamOf(upstream), archive, state, clock, log: () => undefined }, step);
      steps.push(result);
      return result;
    },
  };
  const { app } = testArchive({
    ...{ variables: { ADMIN_TOKEN }, databases, ids, index, objects, clock, mirrorCommands },
    ingest: (file) => ingest(ports, file),
    knownNames: known,
  });
  return {
    databases,
    ports,
    /** Ports of indexing in place. */
    indexing,
    archive,
    /** Waits for the steps of mirrors, also those of commands that were killed. */
    settled: () => Promise.allSettled(steps),
    /** Public operations, and those of the operator. */
    fetch: app.request,
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
