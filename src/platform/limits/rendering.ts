import { DAY_MS } from '../util/durations.ts';

/** Milliseconds that a request waits for a render of the same tile by another request before it renders the tile itself. */
export const SHARED_RENDER_WAIT_MS = 5_000;
/** As SHARED_RENDER_WAIT_MS, for reads of objects: they take some tens of milliseconds, and after a second one was probably cancelled. */
export const SHARED_READ_WAIT_MS = 1_000;

/** Size of a parsed sidecar in memory, as a multiple of its size in R2, which is 4 to 40 kB. */
export const SIDECAR_GROWTH = 3;

/** Coefficient sidecars that are made behind responses. */
export const COEFFICIENT_MAKING = {
  /** Bytes of the largest JP2 that is transcoded; it is read as a whole. */
  fileBytes: 16 << 20,
  /** Images that wait in an isolate; further ones are made when they are viewed again. */
  waiting: 4,
  /** Age at which the making of an image counts as cancelled with its request, in ms. It takes 1 s of processor time at most. */
  staleMs: 30_000,
  /** Milliseconds of a step, about. */
  stepMs: 8,
} as const;

/** Samples of a layer decoded for a strip, with up to 3.6 MiB in the core. Half of it would decode 12 to 20 % more samples at the edges. */
export const STRIP_SAMPLES = 1 << 19;

/** Samples of a layer whose coded bytes are read at once when it is measured: two strips, or four chunks. They have 70 kB to 1 MiB. */
export const READ_SAMPLES = 1 << 20;

/** Samples of the level by which a tile is filtered until all pixels of its image have been counted: those of part A of 4096 x 4096. */
export const SKETCH_SAMPLES = 1 << 20;

/** Pictures in another projection than the plane, and of turned images. */
export const WARPED = {
  /** Samples that are decoded at once; a part of a picture that needs more is halved. */
  samples: 1 << 20,
  /** Samples for a pixel, at most: beside the limb a pixel shows many. */
  perPixel: 18,
  /** Cost of a pixel in pixels of a layer of the plane. */
  cost: 3,
} as const;

/** Minimum rows of a strip: thinner strips would decode the code-blocks at their edges repeatedly. */
export const MIN_STRIP_ROWS = 64;

/** Processor time of a picture in pixels of a layer; the file counts as a layer (`npm run bench -- decode`; encoders at 177b282c). */
export const PICTURE_COST = {
  /** Pixels of a unit of PICTURE_LIMIT, 0.3 s: 1920 x 1200 with three layers has one unit, 4096 x 4096 with five layers eleven. */
  unitPixels: 10_000_000,
  msPerPixel: 30e-6,
  /** Cost of a pixel that is resampled and coloured, or composed, in pixels of a layer. */
  drawnPixel: 0.2,
  /** Cost of a pixel that is counted for the table of a filter, where its image has none, in pixels of a layer: 4096 x 4096 take 1.1 s. */
  countedPixel: 2.2,
  /** Milliseconds of a tile. */
  tileMs: 15,
} as const;

export const MOVING_FRAME = {
  /** Longest side in pixels: an image of AIA at a quarter of its size has up to 1040, and 48 frames of it take 50 MB of a browser. */
  sidePixels: 1280,
  /** Columns and rows of tiles that a frame of this size touches. */
  tiles: 4,
  /** Images whose tables are asked for at once: the frames of a loop, and the image before the first. */
  tables: 100,
  /** Those that wait until all pixels have been counted: 1.1 s of processor time for an image of 4096x4096. */
  exactTables: 4,
  /** JPEG qualities: the least with this structural similarity to the samples, or the last. Below the first, blocks show. */
  qualities: [60, 65, 70, 75, 80, 85],
  similarity: 0.985,
} as const;

/** WebP with loss: libwebp takes up to 56 MB for 2048x2048 pixels (`npm run bench -- encode` at 177b282c), where our copy of the picture takes 17 more. */
export const LOSSY_WEBP = {
  most: { width: 2048, height: 1280 },
  baseBytes: 16 << 20,
  bytesPerPixel: 15,
  /** The only quality whose pictures of whole images are stored: that of the first picture of the page. */
  storedQuality: 80,
} as const;

/** Screenshots as rows, and the files that they become when they are downloaded. */
export const SCREENSHOTS = { lifeMs: 180 * DAY_MS } as const;

/** Measurements. What a request may decode is bounded by the image, and its client is charged for the pixels as for those of pictures. */
export const MEASURING = {
  /** Greatest coordinate of a place, and side of a box, in arcseconds or pixels: beyond half the sky. */
  coordinate: 1_000_000,
  /** Coordinate of a region, and its size: a quarter of the sky. */
  regionCoordinate: 100_000,
  /** Vertices: a path of fewer has no length, and a polygon no area. */
  vertices: { polygon: { least: 3, most: 100 }, path: { least: 2, most: 100 } },
  /** The coarsest level: blocks of 256 x 256 pixels. */
  level: 8,
  /** Bytes of the values of an array: all bytes of an image of 4096 x 4096, or its values at half the resolution. */
  arrayBytes: 1 << 24,
  /** Values of an array in JSON, which have up to 18 characters each. */
  jsonValues: 1 << 18,
  /** Images of a series: with five reads for each, it stays below the 9,650 subrequests of a request. */
  seriesImages: 1000,
  /** Pixels of a series that are measured, and those that confirm new laws: each 8 of the 20 seconds of processor time of a request. */
  seriesPixels: 400_000_000,
  /** Images of a series that are worked on at once: with two or three reads of each they use the six connections of an invocation. */
  seriesAhead: 4,
  /** Positions along a path, and samples of all of them over its width. */
  pathPositions: 4096,
  pathSamples: 100_000,
  /** Windows of all images of a series that are read for parts of a path: with two reads for each, as for `seriesImages`. */
  seriesWindows: 3000,
  /** Values of a cube, 256 MiB, which is sent while it is made; and datasources beside the first. */
  cubeValues: 1 << 26,
  cutoutSources: 9,
  zarr: {
    /** Chunks of an image that are decoded alone: a small region of a long series touches so many at most. */
    chunksAlone: 4,
    /** Chunks along a side of the blocks in which further ones are decoded: fewer code-blocks at edges are decoded again. */
    blockChunks: 2,
    /** Blocks of 1 MiB that an isolate keeps for the chunks that follow: those of an image of 4096 x 4096. */
    blocksKept: 16,
    /** Images whose chunks are counted. */
    imagesCounted: 1000,
  },
  /** Images without values at the start of a series after which it is refused. */
  seriesWithoutValues: 10,
} as const;
