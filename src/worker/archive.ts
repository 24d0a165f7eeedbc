// The archive of images: its index, what adds and withdraws images, and what keeps rows and objects in agreement.
import { CachedImageIndex, RECORD_VERSION } from '../archive/image-index/cached-image-index.ts';
import { D1ImageIndex } from '../archive/image-index/d1-image-index.ts';
import { D1ImageRegister } from '../archive/image-index/d1-image-register.ts';
import { D1UploadJournal } from '../archive/image-index/d1-upload-journal.ts';
import { D1Withdrawals } from '../archive/image-index/d1-withdrawals.ts';
import { type IndexingOptions, indexObjects as indexFound } from '../archive/ingest/index-objects.ts';
import { type IngestedFile, ingest } from '../archive/ingest/ingest.ts';
import { inspectJp2 } from '../archive/ingest/inspect-jp2.ts';
import { sweepAbandonedUploads } from '../archive/ingest/sweep.ts';
import { withdraw } from '../archive/ingest/withdraw.ts';
import { GRID_FORMATS, type GridFormat } from '../archive/keys.ts';
import { Coefficients } from '../archive/reading/coefficients.ts';
import { SampleProgressStore } from '../archive/sample-progress.ts';
import { StateTables } from '../archive/state-tables.ts';
import { SIDECAR_VERSION } from '../jp2/sidecar.ts';
import { foldByClock, ImageGrids } from '../measure/grids/image-grids.ts';
import { ImageSurveys } from '../measure/image-laws.ts';
import { type ReconciliationRequest, reconcileByClock, reconcileStep, reconciliationState } from '../operator/index.ts';
import type { ListedObject } from '../platform/ports/objects.ts';
import type { ArchivedImage } from '../sun/image.ts';
import type { Platform } from './platform.ts';

/** Client as which the making of coefficient sidecars and surveys takes its turns. */
export const COEFFICIENT_MAKER = 'coefficients';

export type Archive = ReturnType<typeof archiveServices>;

export function archiveServices(platform: Platform) {
  const { databases, ids, objects, caches, memory, turns, clock, log } = platform;
  const stored = new D1ImageIndex(databases);
  const index = new CachedImageIndex({ databases, objects, clock, memory });
  const turn = (ms: number) => turns.turn(COEFFICIENT_MAKER, ms);
  const coefficients = new Coefficients({ objects, makes: ['A', 'B', 'C'], log, memory, turn });
  const gridsOf = (format: GridFormat) => new ImageGrids({ objects, index: stored, memory, format });
  const grids = { values: gridsOf(GRID_FORMATS.values), levels: gridsOf(GRID_FORMATS.levels) };
  const surveys = new ImageSurveys({ objects, grids, memory, turn, log });
  const register = new D1ImageRegister(databases, ids);
  const withdrawals = new D1Withdrawals(databases);
  const uploads = {
    index: stored,
    register,
    withdrawals,
    journal: new D1UploadJournal(databases, clock),
    objects,
    records: index,
    caches,
    inspect: inspectJp2,
    coefficients,
    surveys,
    clock,
    sidecarVersion: SIDECAR_VERSION,
  };
  const bulk = { register, withdrawals, journal: uploads.journal, objects, records: index, clock, memory, log };
  const indexObjects = (found: readonly ListedObject[], options: IndexingOptions) => indexFound(bulk, found, options);
  const reconciliation = {
    ...uploads,
    states: objects,
    percent: platform.settings.reconciledPercent,
    recordVersion: RECORD_VERSION,
    memory,
    indexObjects: (found: readonly ListedObject[]) => indexObjects(found, { readPackets: true, compareKnown: true }),
    withdraw: (fileName: string, only: Pick<ArchivedImage, 'id' | 'key'>) => withdraw(uploads, fileName, only),
    log,
  };
  return {
    index,
    stored,
    coefficients,
    grids,
    surveys,
    foldGrids: () => foldByClock({ grids, index: stored, clock }),
    register,
    sample: new SampleProgressStore(objects),
    stateTables: new StateTables({ objects, clock, log }),
    ingest: (file: IngestedFile) => ingest(uploads, file),
    withdraw: (fileName: string) => withdraw(uploads, fileName),
    indexObjects,
    knownNames: (names: readonly string[]) => register.known(names),
    reconcileStep: (step: ReconciliationRequest) => reconcileStep(reconciliation, step),
    reconciliationState: () => reconciliationState(reconciliation),
    reconcile: () => reconcileByClock(reconciliation),
    sweepUploads: () => sweepAbandonedUploads(uploads),
  };
}
