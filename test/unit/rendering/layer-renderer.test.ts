import { expect, it, vi } from 'vitest';
import { coRegisteredGrid, LayerRenderer } from '../../../src/archive/drawing/layer-renderer.ts';
import { ImageReader } from '../../../src/archive/reading/image-reader.ts';
import { type PixelGrid, tileGrid } from '../../../src/picture/grids/pixel-grid.ts';
import { ringAlpha, ringOf } from '../../../src/picture/raster/mask.ts';
import { compare } from '../../../src/picture/raster/resample.ts';
import { UNTIMED } from '../../../src/platform/ports/timing.ts';
import { findSource } from '../../../src/sun/catalogue/sources.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { centroid, spotImage } from '../../support/imaging/spot-image.ts';
import { anyMemory } from '../../support/memory/any-memory.ts';
import { archivedImage } from '../../support/memory/archived-images.ts';
import type { MemoryObjectStore } from '../../support/memory/object-store.ts';

const largest = (values: Uint8Array): number => values.reduce((most, value) => Math.max(most, value), 0);

async function drawn(objects: MemoryObjectStore, image: ArchivedImage, grid: PixelGrid): Promise<Uint8Array> {
  const layers = new LayerRenderer(new ImageReader({ objects, memory: anyMemory() }));
  return (await layers.draw({ image, reference: null }, grid, 'frame')).samples;
}

function geometry(changes: Partial<ArchivedImage['geometry']>): ArchivedImage['geometry'] {
  return { ...archivedImage(1, 4, '2024-01-01T00:00:00Z').geometry, ...changes };
}

it('a difference image: a difference of the same Sun in two cameras stays uniformly grey, because both images are co-registered', async () => {
  // In both, the spot is 80 arcseconds right of the Sun's centre and 70 above it.
  const one = await spotImage(512, 1, { x: 300.5, y: 200.5, sigma: 20 });
  const other = await spotImage(512, 2, { x: 214.25, y: 161.25, sigma: 10 });
  const a = { ...one.image, geometry: { ...one.image.geometry, refPixelX: 221, refPixelY: 242 } };
  const b = { ...other.image, geometry: { ...other.image.geometry, refPixelX: 174.75, refPixelY: 316.25 } };
  const grid = tileGrid(a.geometry, { x: 0, y: -1, imageScale: 1 });
  const newer = await drawn(one.objects, a, grid);
  const older = await drawn(other.objects, b, coRegisteredGrid(grid, a.geometry, b.geometry));
  const both = newer.slice();
  compare(both, older, false);
  expect(largest(newer)).toBeGreaterThan(200);
  expect(largest(both.map((value) => Math.abs(value - 128)))).toBeLessThanOrEqual(8);
});

it('the ring of a coronagraph needs no mask for a tile inside the corona', () => {
  const g = geometry({ width: 1024, height: 1024, refPixelX: 512.5, refPixelY: 512.5, scaleArcsecPerPixel: 11.9 });
  const grid = tileGrid(g, { x: 0, y: 5, imageScale: 1.19 });
  expect(ringAlpha(ringOf(findSource(4)!.mask!, g), grid, { x0: 0, y0: 0, x1: 512, y1: 512 })).toBeNull();
});

it('a sphere of an image without coarser levels is drawn in parts that the decoder takes', async () => {
  // 64 pixels, each of 36 samples: the disc has 2206 along its sides, more than are decoded at once, in fewer rows than a strip has.
  const [side, pixels] = [2304, 64];
  const spot = { x: 1500, y: 800, sigma: 100 };
  const made = await spotImage(side, 0.87, spot, 0);
  const image = { ...made.image, geometry: { ...made.image.geometry, refPixelX: (side + 1) / 2, refPixelY: (side + 1) / 2 } };
  const reader = new ImageReader({ objects: made.objects, memory: anyMemory() });
  const decoded = vi.spyOn(reader, 'samples');
  const { observer } = await reader.origin(await reader.open(image));
  const { b0Degrees: latitude, longitudeDegrees: longitude, distanceRadii } = observer;
  const view = { projection: { kind: 'sphere', latitude, longitude }, observer, distanceRadii } as const;
  const grid = { left: 0, top: 0, step: side / pixels, width: pixels, height: pixels };
  const { samples } = await new LayerRenderer(reader).draw({ image, reference: null }, grid, 'levels', UNTIMED, view);
  expect(decoded.mock.calls.length).toBeGreaterThan(1);
  const found = centroid(pixels, samples.length, (i) => samples[i]!);
  expect(found.x).toBeCloseTo((spot.x * pixels) / side, 1);
  expect(found.y).toBeCloseTo((spot.y * pixels) / side, 1);
  expect(largest(samples)).toBeGreaterThan(220);
});
