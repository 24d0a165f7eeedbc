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
    return Int32Array.from({ length: width * height }, (_, i) => {
      const [x, y] = [i % width, Math.floor(i / width)];
      const disk = Math.hypot(x - cx, y - cy) < radius / 2 ? 0.6 : 0.2;
      const wave = 0.2 * Math.sin((x + 2 * y + c * 7) / 5);
      const noise = (random() - 0.5) * (x < width / 2 ? 0.3 : 0.02);
      return low + Math.max(0, Math.min(range - 1, Math.round((disk + wave + noise) * range)));
    });
  });
  return { width, height, precision, signed, components: planes };
}
