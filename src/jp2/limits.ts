// Limits of work and memory of the JPEG 2000 reader. Real images (4096 x 4096, 1368 precincts, 8 layers) are far below all of them.

/** Image width and height in samples: four times the largest image of the archive. */
export const MAX_IMAGE_SIDE = 16_384;

/** Image coordinates on the reference grid; leaves room for a code-block beyond them in the core's 32-bit numbers. */
export const MAX_COORDINATE = 2 ** 30;

export const MAX_COMPONENTS = 1024;

export const MAX_TILES = 1024;

/** Resolution levels over all tiles and components: about 1 KB each in memory. */
export const MAX_RESOLUTION_LEVELS = 1 << 15;

/** Packets over all tiles, components, resolutions, precincts and layers: about 100 bytes each while indexing. */
export const MAX_PACKETS = 1 << 18;

/** Visits of code-blocks while all packet headers are read: each packet visits every code-block of its precinct. */
export const MAX_CODEBLOCK_VISITS = 1 << 24;

/** Steps of the progressions, including those without a packet or with a packet of an earlier progression (POC). */
export const MAX_PROGRESSION_STEPS = 1 << 22;

/** Bits of a sample that are decoded; the standard allows 38. */
export const MAX_PRECISION = 16;

export const MAX_HEADER_BYTES = 8 << 20;

/** Samples of a decoded window of one component: two f32 planes of this size fit into the core's 64 MiB. */
export const MAX_WINDOW_SAMPLES = 4 << 20;

/** Samples of a decoded window over all components. */
export const MAX_WINDOW_SAMPLES_IN_ALL = 3 * MAX_WINDOW_SAMPLES;

/** Precincts with more code-blocks have their packet headers in the sidecar, so that single blocks can be addressed. */
export const MAX_INLINE_CODEBLOCKS = 12;

/** Ranges at most this far apart are read as one, because a request costs more than these bytes. */
export const RANGE_GAP_BYTES = 16 << 10;

/** Reads per window; the nearest ranges are joined until no more are left. */
export const MAX_RANGES = 6;
