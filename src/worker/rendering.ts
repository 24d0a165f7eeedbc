// Tiles, frames, screenshots and downloads, over one image reader and its caches; the frames that JPIP reads.
import { EclipseService } from '../archive/drawing/eclipse.ts';
import { FrameRenderer } from '../archive/drawing/frame-renderer.ts';
import { ImageDownloadService, ImageFileRenderer } from '../archive/drawing/image-downloads.ts';
import { LayerRenderer } from '../archive/drawing/layer-renderer.ts';
import { MovingFrameRenderer, MovingFrameService } from '../archive/drawing/moving-frames.ts';
import { TileRenderer, TileService } from '../archive/drawing/tile.ts';
import type { ImageIndex } from '../archive/ports.ts';
import { ImageReader } from '../archive/reading/image-reader.ts';
import type { MarkerSource } from '../events/event-markers.ts';
import { OutlinePictureService } from '../events/outline-pictures.ts';
import { type ChannelIds, ImageStores, JpipTargets, jpxParts, type TargetPorts } from '../faces/index.ts';
import { Cutouts } from '../measure/cutouts.ts';
import { GridCurves } from '../measure/grids/grid-curves.ts';
import { ImageArrays } from '../measure/image-arrays.ts';
import { ImageLaws } from '../measure/image-laws.ts';
import { ImageSeries } from '../measure/image-series.ts';
import { LightCurves } from '../measure/light-curves.ts';
import { MapFiles } from '../measure/maps/map-files.ts';
import { MapTiles } from '../measure/maps/map-tiles.ts';
import { SolarMaps } from '../measure/maps/solar-maps.ts';
import { PLOTS } from '../measure/plots.ts';
import { TimeDistance } from '../measure/time-distance.ts';
import { Measurements } from '../measure/values.ts';
import { type CoefficientRange, makeCoefficientsOfRange } from '../operator/index.ts';
import { keepRastersIn } from '../picture/overlays/drawing/draw.ts';
import { paceOf } from '../platform/admission/pace.ts';
import { UNTIMED } from '../platform/ports/timing.ts';
import { D1Screenshots } from '../sharing/d1-screenshots.ts';
import { ScreenshotService, sweepScreenshots } from '../sharing/screenshots.ts';
import { type Archive, COEFFICIENT_MAKER } from './archive.ts';
import type { Platform } from './platform.ts';

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
  const reader = new ImageReader(objects, { coefficients, memory, background: paceOf({ stopwatch: UNTIMED, step: turn }) });
  const layers = new LayerRenderer(reader);
  keepRastersIn(memory);
  const renderers: Renderers = {
    tiles: new TileRenderer({ layers }),
    movingFrames: new MovingFrameRenderer({ layers }),
    imageFiles: new ImageFileRenderer({ layers }),
    pictures: new FrameRenderer(layers),
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
  const gridCurves = new GridCurves({ grids, index });
  const screenshotRegister = new D1Screenshots(databases);
  return {
    tiles: new TileService({ index, tiles }),
    frames: new MovingFrameService({ index, movingFrames }),
    imageDownloads: new ImageDownloadService({ index, objects, imageFiles }),
    screenshots: new ScreenshotService({ index, objects, screenshotRegister, pictures, markers, clock }),
    measurements: new Measurements({ laws, reader }),
    imageArrays: new ImageArrays({ objects, laws, reader }),
    lightCurves: new LightCurves({ series, reader, grids: gridCurves }),
    gridCurves,
    timeDistance: new TimeDistance({ series, reader }),
    plots: PLOTS,
    cutouts: new Cutouts({ series, reader }),
    mapTiles: new MapTiles({ maps, objects }),
    mapFiles: new MapFiles({ maps, objects, clock }),
    imageStores: new ImageStores({ index, objects, series, laws, reader, memory, clock }),
    eclipses: new EclipseService({ index, pictures, clock }),
    outlinePictures: new OutlinePictureService(),
    sweepScreenshots: () => sweepScreenshots({ screenshotRegister, clock }),
  };
}

export function jpipServices(
  platform: Platform,
  { index, reader, channelIds }: { readonly index: ImageIndex; readonly reader: ImageReader; readonly channelIds: ChannelIds },
) {
  const { objects, memory, jpipChannels: channels } = platform;
  const openIndex: TargetPorts['openIndex'] = (key, from) => reader.openIndex(key, UNTIMED, from);
  const parts = platform.jpxCalls ?? jpxParts(objects);
  const ports = { index, objects, memory, channels, parts, openIndex };
  return { jpxParts: parts, jpip: { ...ports, targets: new JpipTargets(ports), channelIds } };
}
