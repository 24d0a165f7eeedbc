// Tiles, frames, screenshots and downloads, over one image reader and its caches; the frames that JPIP reads.
import { paceOf } from '../admission/pace.ts';
import { keepRastersIn } from '../imaging/overlays/draw.ts';
import type { ImageIndex } from '../ports/images.ts';
import { UNTIMED } from '../ports/timing.ts';
import type { MarkerSource } from '../services/events/event-markers.ts';
import { OutlinePictureService } from '../services/events/outline-pictures.ts';
import { GridCurves } from '../services/grids/grid-curves.ts';
import type { ChannelIds } from '../services/jpip/channel-ids.ts';
import { JpipTargets, type TargetPorts } from '../services/jpip/target.ts';
import { jpxParts } from '../services/jpx/jpx-parts.ts';
import { MapFiles } from '../services/maps/map-files.ts';
import { MapTiles } from '../services/maps/map-tiles.ts';
import { SolarMaps } from '../services/maps/solar-maps.ts';
import { Cutouts } from '../services/measurement/cutouts.ts';
import { ImageArrays } from '../services/measurement/image-arrays.ts';
import { ImageLaws } from '../services/measurement/image-laws.ts';
import { ImageSeries } from '../services/measurement/image-series.ts';
import { LightCurves } from '../services/measurement/light-curves.ts';
import { PLOTS } from '../services/measurement/plots.ts';
import { TimeDistance } from '../services/measurement/time-distance.ts';
import { Measurements } from '../services/measurement/values.ts';
import { type CoefficientRange, makeCoefficientsOfRange } from '../services/rendering/coefficient-range.ts';
import { EclipseService } from '../services/rendering/eclipse.ts';
import { FrameRenderer } from '../services/rendering/frame-renderer.ts';
import { ImageDownloadService, ImageFileRenderer } from '../services/rendering/image-downloads.ts';
import { ImageReader } from '../services/rendering/image-reader.ts';
import { LayerRenderer } from '../services/rendering/layer-renderer.ts';
import { MovingFrameRenderer, MovingFrameService } from '../services/rendering/moving-frames.ts';
import { ScreenshotService, sweepScreenshots } from '../services/rendering/screenshots.ts';
import { TileRenderer, TileService } from '../services/rendering/tile.ts';
import { ImageStores } from '../services/zarr/image-stores.ts';
import { D1Screenshots } from '../storage/screenshots/d1-screenshots.ts';
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
