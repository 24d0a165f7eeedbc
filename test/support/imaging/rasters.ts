// Made images for coding and decoding again: a few smooth shapes, edges and noise, the same for the same seed.

export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly precision: number;
  readonly signed: boolean;
  /** One plane of width * height samples for each component. */
  readonly components: readonly Int32Array[];
}

export interface RasterShape {
  readonly width: number;
  readonly height: number;
  readonly components?: number;
  readonly precision?: number;
  readonly signed?: boolean;
  readonly seed?: number;
}

/** Numbers in [0, 1) from a seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function makeRaster(shape: RasterShape): Raster {
  const { width, height, components = 1, precision = 8, signed = false, seed = 1 } = shape;
  const random = randomNumbers(seed);
  const range = 2 ** precision;
  const low = signed ? -range / 2 : 0;
  const planes = Array.from({ length: components }, (_, c) => {
    const [cx, cy, radius] = [random() * width, random() * height, (0.2 + random()) * Math.max(width, height)];
    // By x + 2 y.
    const waves = Float64Array.from({ length: width + 2 * height }, (_, along) => 0.2 * Math.sin((along + c * 7) / 5));
    const plane = new Int32Array(width * height);
    for (let y = 0, i = 0; y < height; y++) {
      for (let x = 0; x < width; x++, i++) {
        const disk = (x - cx) ** 2 + (y - cy) ** 2 < (radius / 2) ** 2 ? 0.6 : 0.2;
        const noise = (random() - 0.5) * (x < width / 2 ? 0.3 : 0.02);
        const value = Math.round((disk + waves[x + 2 * y]! + noise) * range);
        plane[i] = low + Math.max(0, Math.min(range - 1, value));
      }
    }
    return plane;
  });
  return { width, height, precision, signed, components: planes };
}
