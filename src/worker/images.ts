// The images: their archive, with what adds and withdraws them; one reader with its caches, and what draws, measures and serves what it reads.
import { EclipseService } from '../archive/drawing/eclipse.ts';
import { FrameRenderer } from '../archive/drawing/frame-renderer.ts';
import { ImageDownloadService, ImageFileRenderer } from '../archive/drawing/image-downloads.ts';
import { LayerRenderer } from '../archive/drawing/layer-renderer.ts';
import { MovingFrameRenderer, MovingFrameService } from '../archive/drawing/moving-frames.ts';
import { TileRenderer, TileService } from '../archive/drawing/tile.ts';
import { CachedImageIndex, RECORD_VERSION } from '../archive/image-index/cached-image-index.ts';
import type { ImageIndex } from '../archive/image-index/d1-image-index.ts';
import { D1ImageIndex } from '../archive/image-index/d1-image-index.ts';
import { D1ImageRegister } from '../archive/image-index/d1-image-register.ts';
import { D1UploadJournal } from '../archive/image-index/d1-upload-journal.ts';
import { D1Withdrawals } from '../archive/image-index/d1-withdrawals.ts';
import { type IndexingOptions, indexObjects as indexFound } from '../archive/ingest/index-objects.ts';
import { type IngestedFile, ingest, withdraw } from '../archive/ingest/ingest.ts';
import { inspectJp2 } from '../archive/ingest/inspect-jp2.ts';
import { sweepAbandonedUploads } from '../archive/ingest/remove-withdrawn.ts';
import type { GridKind } from '../archive/keys.ts';
import { Coefficients } from '../archive/reading/coefficients.ts';
import { ImageReader } from '../archive/reading/image-reader.ts';
import { SampleProgressStore } from '../archive/sample-progress.ts';
import { StateTables } from '../archive/state-tables.ts';
import type { MarkerSource } from '../events/event-markers.ts';
import { type ChannelIds, ImageStores, JpipTargets, type TargetPorts } from '../faces/index.ts';
import { SIDECAR_VERSION } from '../jp2/sidecar.ts';
import { Cutouts } from '../measure/cutouts.ts';
import { foldByClock, ImageGrids } from '../measure/grids/image-grids.ts';
import { ImageArrays } from '../measure/image-arrays.ts';
import { ImageLaws, ImageSurveys } from '../measure/image-laws.ts';
import { ImageSeries } from '../measure/image-series.ts';
import { LightCurves } from '../measure/light-curves.ts';
import { MapFiles } from '../measure/maps/map-files.ts';
import { SolarMaps } from '../measure/maps/solar-maps.ts';
import { PLOTS } from '../measure/plots.ts';
import { TimeDistance } from '../measure/time-distance.ts';
import { Measurements } from '../measure/values.ts';
import type { CoefficientRange, ReconciliationRequest } from '../operator/index.ts';
import { makeCoefficientsOfRange, reconcileByClock, reconcileStep, reconciliationState } from '../operator/index.ts';
import { keepRastersIn } from '../picture/overlays/drawing/draw.ts';
import { SCREENSHOTS } from '../platform/limits/rendering.ts';
import { paceOf, UNTIMED } from '../platform/ports/timing.ts';
import type { ListedObject } from '../platform/storage/r2-object-store.ts';
import { D1Screenshots } from '../sharing/d1-screenshots.ts';
import { ScreenshotService } from '../sharing/screenshots.ts';
import type { ArchivedImage } from '../sun/image.ts';
import type { Platform } from './platform.ts';

/** Client as which the making of coefficient sidecars and surveys takes its turns. */
const COEFFICIENT_MAKER = 'coefficients';

export type Archive = ReturnType<typeof archiveServices>;

export function archiveServices(platform: Platform) {
  const { databases, ids, objects, memory, turns, clock, log } = platform;
  const stored = new D1ImageIndex(databases);
  const index = new CachedImageIndex({ databases, objects, clock, memory });
  const turn = (ms: number) => turns.turn(COEFFICIENT_MAKER, ms);
  const coefficients = new Coefficients({ objects, makes: ['A', 'B', 'C'], log, memory, turn });
  const gridsOf = (kind: GridKind) => new ImageGrids({ objects, index: stored, memory, kind });
  const grids = { values: gridsOf('values'), levels: gridsOf('levels') };
  const surveys = new ImageSurveys({ objects, grids, memory, turn, log });
  const register = new D1ImageRegister({ databases, ids });
  const withdrawals = new D1Withdrawals(databases);
  const uploads = {
    ...platform,
    index: stored,
    register,
    withdrawals,
    journal: new D1UploadJournal(databases, clock),
    records: index,
    inspect: inspectJp2,
    coefficients,
    surveys,
    sidecarVersion: SIDECAR_VERSION,
  };
  const indexObjects = (found: readonly ListedObject[], options: IndexingOptions) => indexFound(uploads, found, options);
  const reconciliation = {
    ...uploads,
    states: objects,
    percent: platform.settings.RECONCILED_PERCENT,
    recordVersion: RECORD_VERSION,
    indexObjects: (found: readonly ListedObject[]) => indexObjects(found, { readPackets: true, compareKnown: true }),
    withdraw: (fileName: string, only: Pick<ArchivedImage, 'id' | 'key'>) => withdraw(uploads, fileName, only, true),
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

interface Renderers {
  readonly tiles: Pick<TileRenderer, 'render' | 'isReady'>;
  readonly movingFrames: Pick<MovingFrameRenderer, 'prepare' | 'render' | 'tables'>;
  readonly imageFiles: Pick<ImageFileRenderer, 'render' | 'cut'>;
  readonly pictures: Pick<FrameRenderer, 'file'>;
  /** Runs after the response to a rendered picture, for the parts of coefficient sidecars that it lacked. */
  readonly afterRendering: () => Promise<void>;
}

type Needs = Pick<Archive, 'surveys' | 'grids'> &
  Pick<Reading, 'reader' | 'renderers'> & {
    readonly index: ImageIndex;
    readonly markers: MarkerSource;
  };

type Images = Pick<Archive, 'stored' | 'index' | 'coefficients' | 'surveys' | 'grids'>;

export type Reading = ReturnType<typeof imageReading>;

export function imageReading({ objects, memory, turns }: Platform, { stored, index, coefficients, surveys, grids }: Images) {
  const turn = (ms: number) => turns.turn(COEFFICIENT_MAKER, ms);
  const reader = new ImageReader({ objects, coefficients, memory, background: paceOf({ stopwatch: UNTIMED, step: turn }) });
  const layers = new LayerRenderer(reader);
  keepRastersIn(memory);
  const renderers: Renderers = {
    tiles: new TileRenderer({ layers }),
    movingFrames: new MovingFrameRenderer({ layers }),
    imageFiles: new ImageFileRenderer({ layers }),
    pictures: new FrameRenderer({ layers }),
    afterRendering: async () => {
      await Promise.all([index.writeMissing(), coefficients.makeRequested()]);
    },
  };
  return {
    reader,
    renderers,
    makeCoefficients: (range: CoefficientRange) =>
      makeCoefficientsOfRange({ index: stored, reader, coefficients, surveys, grids }, range),
  };
}

export function renderingServices(platform: Platform, { index, reader, surveys, grids, markers, renderers }: Needs) {
  const { databases, objects, memory, clock } = platform;
  const { tiles, movingFrames, imageFiles, pictures } = renderers;
  const laws = new ImageLaws({ objects, surveys, reader, memory });
  const series = new ImageSeries({ index, objects, laws, reader });
  const maps = new SolarMaps({ index, objects, laws, reader });
  const screenshotRegister = new D1Screenshots(databases);
  return {
    tiles: new TileService({ index, tiles }),
    frames: new MovingFrameService({ index, movingFrames }),
    imageDownloads: new ImageDownloadService({ index, objects, imageFiles }),
    screenshots: new ScreenshotService({ index, objects, screenshotRegister, pictures, markers, clock }),
    measurements: new Measurements({ laws, reader }),
    imageArrays: new ImageArrays({ objects, laws, reader }),
    lightCurves: new LightCurves({ series, reader, grids, index }),
    timeDistance: new TimeDistance({ series, reader }),
    plots: PLOTS,
    cutouts: new Cutouts({ series, reader }),
    mapFiles: new MapFiles({ maps, objects, clock }),
    imageStores: new ImageStores({ index, objects, series, laws, reader, memory, clock }),
    eclipses: new EclipseService({ index, pictures, clock }),
    sweepScreenshots: async () => (await screenshotRegister.expire(clock() - SCREENSHOTS.lifeMs)).count,
  };
}

export function jpipServices(
  platform: Platform,
  { index, reader, channelIds }: { readonly index: ImageIndex; readonly reader: ImageReader; readonly channelIds: ChannelIds },
) {
  const { objects, memory, jpipChannels: channels, jpxParts: parts } = platform;
  const openIndex: TargetPorts['openIndex'] = (key, from) => reader.openIndex(key, UNTIMED, from);
  const ports = { index, objects, memory, channels, parts, openIndex };
  return { jpip: { ...ports, targets: new JpipTargets(ports), channelIds } };
}
