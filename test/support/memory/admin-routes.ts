import { Hono } from 'hono';
import { webhookServices } from '../../../src/composition/webhooks.ts';
import { asFailure, errorResponse } from '../../../src/http/errors.ts';
import { type AdminServices, adminRoutes } from '../../../src/routes/internal/admin.ts';
import { StateTables } from '../../../src/services/bodies/state-tables.ts';
import { SampleProgressStore } from '../../../src/services/images/sample-progress.ts';
import { D1AuditLog } from '../../../src/storage/audit/d1-audit-log.ts';
import { D1ShardMoves } from '../../../src/storage/images/d1-shard-moves.ts';
import { anyMemory } from './any-memory.ts';
import { MemoryImageIndex } from './image-index.ts';
import { noIndexing } from './no-indexing.ts';
import { MemoryObjectStore } from './object-store.ts';
import { databasesIn, migrated } from './sqlite-d1.ts';
import { unlimited } from './unlimited.ts';

/** The admin operations at /admin, with the errors of the real application. What is not given holds nothing, and ingests nothing. */
export function adminApp({ token, ...given }: Partial<AdminServices> & { readonly token: string }): Hono {
  const unavailable = () => Promise.reject(new Error('This is not part of the test.'));
  const objects = new MemoryObjectStore();
  const databases = databasesIn(migrated());
  const routes = adminRoutes({
    index: new MemoryImageIndex([]),
    ingest: unavailable,
    withdraw: unavailable,
    flares: { add: unavailable, count: unavailable },
    sample: new SampleProgressStore(objects),
    stateTables: new StateTables({ objects, clock: () => 0 }),
    shards: new D1ShardMoves({ bound: new Map(), serving: [] }),
    makeCoefficients: unavailable,
    audit: new D1AuditLog(databases),
    clock: () => 0,
    log: () => undefined,
    objects,
    memory: anyMemory(),
    indexObjects: noIndexing.indexObjects,
    knownNames: unavailable,
    ...webhookServices(
      { databases, variables: {}, clock: () => 0, log: () => undefined },
      { events: { eventsBetween: unavailable } },
    ),
    mirrorCommands: { sources: unavailable, step: unavailable },
    reconcileStep: unavailable,
    reconciliationState: async () => null,
    requestLimiter: unlimited,
    operators: [{ name: 'admin', token, scopes: ['all'] }],
    ...given,
  });
  const admin = new Hono();
  admin.onError((error) => errorResponse(asFailure(error), { requestId: 'the-request', actionForm: false }));
  return admin.route('/admin', routes);
}
