import { Hono } from 'hono';
import { memoryLimits } from '../../../src/config/limits/memory.ts';
import { asFailure, errorResponse } from '../../../src/http/errors.ts';
import type { AuditEntry, AuditLog } from '../../../src/ports/audit.ts';
import { type AdminServices, adminRoutes } from '../../../src/routes/internal/admin.ts';
import { StateTables } from '../../../src/services/bodies/state-tables.ts';
import { SampleProgressStore } from '../../../src/services/images/sample-progress.ts';
import { D1ShardMoves } from '../../../src/storage/images/d1-shard-moves.ts';
import { MemoryBudget } from '../../../src/util/memory-budget.ts';
import { MemoryImageIndex } from './image-index.ts';
import { noIndexing } from './no-indexing.ts';
import { MemoryObjectStore } from './object-store.ts';

/** The audit log in a list. */
export class MemoryAuditLog implements AuditLog {
  readonly entries: AuditEntry[] = [];

  async add(entry: Omit<AuditEntry, 'id'>): Promise<void> {
    this.entries.push({ ...entry, id: this.entries.length + 1 });
  }

  async list({ before, limit }: { readonly before: number; readonly limit: number }): Promise<readonly AuditEntry[]> {
    return this.entries
      .filter(({ id }) => id < before)
      .reverse()
      .slice(0, limit);
  }

  async sweep(): Promise<number> {
    throw new Error('Expected the database.');
  }
}

/** The admin operations at /admin, with the errors of the real application. What is not given holds nothing, and ingests nothing. */
export function adminApp({ token, ...given }: Partial<AdminServices> & { readonly token: string }): Hono {
  const unavailable = () => Promise.reject(new Error('This is not part of the test.'));
  const objects = new MemoryObjectStore();
  const routes = adminRoutes({
    index: new MemoryImageIndex([]),
    ingest: unavailable,
    withdraw: unavailable,
    flares: { add: unavailable, count: unavailable },
    sample: new SampleProgressStore(objects),
    stateTables: new StateTables({ objects, clock: () => 0 }),
    shards: new D1ShardMoves({ bound: new Map(), serving: [] }),
    coefficients: unavailable,
    audit: new MemoryAuditLog(),
    clock: () => 0,
    log: () => undefined,
    objects,
    memory: new MemoryBudget(memoryLimits()),
    indexObjects: noIndexing.indexObjects,
    knownNames: unavailable,
    reconcile: unavailable,
    reconciliation: async () => null,
    operators: [{ name: 'admin', token }],
    ...given,
  });
  const admin = new Hono();
  admin.onError((error) => errorResponse(asFailure(error), { requestId: 'the-request', actionForm: false }));
  return admin.route('/admin', routes);
}
