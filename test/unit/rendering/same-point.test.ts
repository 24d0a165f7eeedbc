// One point of the Sun in every picture of an image: a spot is drawn where the image has it, and its centroid is read out.
import { beforeAll, expect, it } from 'vitest';
import { type FramePlan, FrameRenderer, frameBytes } from '../../../src/archive/drawing/frame-renderer.ts';
import { LayerRenderer } from '../../../src/archive/drawing/layer-renderer.ts';
import { TileRenderer } from '../../../src/archive/drawing/tile.ts';
import { ImageReader } from '../../../src/archive/reading/image-reader.ts';
import { readoutAt } from '../../../src/explorer/model/readout.ts';
import { recipeFromScreenshotParameters } from '../../../src/picture/recipe.ts';
import { imageObserver } from '../../../src/sun/coordinates/observer.ts';
import { type PlanePoint, positionOf } from '../../../src/sun/coordinates/picture-plane.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { centroid, spotImage } from '../../support/imaging/spot-image.ts';
import { anyMemory } from '../../support/memory/any-memory.ts';

const SIDE = 1024;
/** Arcseconds per pixel as seen from 1 au. */
const SCALE = 2.4;
const PLACE = { longitude: -35, latitude: 22 };
/** Level of black in limited-range luma. */
const BLACK_LUMA = 16;

const observer = imageObserver(Date.UTC(2024, 0, 1), 1.47e11, new Map([['HGLN_OBS', '12.5']]));
const point = positionOf(PLACE, observer)!;

/** The spot is there within a tenth of a pixel of the image, and the read-out names its place on the Sun. */
function expectPoint(found: PlanePoint): void {
  expect(Math.abs(found.x - point.x)).toBeLessThan(SCALE / 10);
  expect(Math.abs(found.y - point.y)).toBeLessThan(SCALE / 10);
  const { stonyhurst } = readoutAt(found, observer);
  expect(stonyhurst!.longitude).toBeCloseTo(PLACE.longitude, 1);
  expect(stonyhurst!.latitude).toBeCloseTo(PLACE.latitude, 1);
}

const SCREEN = { x0: -300, y0: -200, width: 640, height: 480, imageScale: 1.7 };

let spot: Awaited<ReturnType<typeof spotImage>>;
let layers: LayerRenderer;
let plan: FramePlan;

beforeAll(async () => {
  // The centre of the Sun is in the middle of the image, as the reference pixel of the geometry says.
  const place = { x: SIDE / 2 + point.x / SCALE, y: SIDE / 2 + point.y / SCALE, sigma: 6 };
  const { image, objects } = await spotImage(SIDE, SCALE, place);
  const geometry = { ...image.geometry, refPixelX: SIDE / 2 + 0.5, refPixelY: SIDE / 2 + 0.5 };
  spot = { image: { ...image, geometry }, objects };
  layers = new LayerRenderer(new ImageReader(objects, { memory: anyMemory() }));
  const { recipe } = recipeFromScreenshotParameters({
    ...SCREEN,
    date: image.takenAtMs,
    layers: '[18,1,100]',
    watermark: false,
  });
  plan = { recipe, layers: [{ layer: recipe.layers[0]!, image: spot.image, reference: null, distanceSeconds: 0 }] };
});

const onScreen = ({ x, y }: PlanePoint): PlanePoint => ({
  x: SCREEN.x0 + (x - SCREEN.width / 2) * SCREEN.imageScale,
  y: SCREEN.y0 + (y - SCREEN.height / 2) * SCREEN.imageScale,
});

it('a point of the Sun appears at its coordinates in a tile', async () => {
  const tile = { x: Math.floor(point.x / (512 * SCALE)), y: Math.floor(point.y / (512 * SCALE)), imageScale: SCALE };
  const { rgba } = readPng(await new TileRenderer({ layers }).render({ image: spot.image, reference: null }, tile));
  const { x, y } = centroid(512, 512 * 512, (i) => rgba[4 * i]!);
  expectPoint({ x: (tile.x * 512 + x) * SCALE, y: (tile.y * 512 + y) * SCALE });
});

it.each([
  ['a screenshot', 'rgb', 3, 0],
  ['a frame of a movie', 'yuv420p', 1, BLACK_LUMA],
] as const)('a point of the Sun appears at its coordinates in %s', async (_, format, bytesPerPixel, black) => {
  const pixels = new Uint8Array(frameBytes(format, SCREEN));
  await new FrameRenderer(layers).draw(plan, {}, format, pixels);
  const light = (i: number) => Math.max(pixels[bytesPerPixel * i]! - black, 0);
  expectPoint(onScreen(centroid(SCREEN.width, SCREEN.width * SCREEN.height, light)));
});
