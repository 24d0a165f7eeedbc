// Pictures in other projections than the plane: spots at known places of the Sun are found where spherical trigonometry puts them.
import { beforeAll, describe, expect, it } from 'vitest';
import { imageObserver, type Observer } from '../../../src/domain/coordinates/observer.ts';
import { limbRadius, positionOf } from '../../../src/domain/coordinates/picture-plane.ts';
import type { ArchivedImage } from '../../../src/domain/image.ts';
import type { Projection } from '../../../src/picture/projection.ts';
import { recipeFromScreenshotParameters } from '../../../src/picture/recipe.ts';
import { FrameRenderer, frameBytes } from '../../../src/services/rendering/frame-renderer.ts';
import { ImageReader } from '../../../src/services/rendering/image-reader.ts';
import { LayerRenderer } from '../../../src/services/rendering/layer-renderer.ts';
import { centroid, spotImage } from '../../support/imaging/spot-image.ts';
import { anyMemory } from '../../support/memory/any-memory.ts';

const SIDE = 1024;
const SCALE = 2.4;
const RADIANS = Math.PI / 180;
/** Arcseconds of a solar radius at 1 au. */
const RADIUS = (695_700_000 / 149_597_870_700 / RADIANS) * 3600;
const PLACE = { longitude: -35, latitude: 22 };
const FIELD = { x0: 0, y0: 0, width: 640, height: 480 };

/** Where an observer above a place sees another place, arcseconds, y down. */
function seen(above: { longitude: number; latitude: number }, distanceRadii: number): { x: number; y: number } {
  const [a, b, away] = [above.latitude * RADIANS, PLACE.latitude * RADIANS, (PLACE.longitude - above.longitude) * RADIANS];
  const height = Math.sin(a) * Math.sin(b) + Math.cos(a) * Math.cos(b) * Math.cos(away);
  const nearness = (RADIUS * distanceRadii) / (distanceRadii - height);
  const north = Math.cos(a) * Math.sin(b) - Math.sin(a) * Math.cos(b) * Math.cos(away);
  return { x: nearness * Math.cos(b) * Math.sin(away), y: -nearness * north };
}

describe('a picture in a projection', () => {
  let layers: LayerRenderer;
  let image: ArchivedImage;
  let observer: Observer;
  let point: { x: number; y: number };

  beforeAll(async () => {
    // The observer that the reader finds for a file without a header.
    const plain = await spotImage(SIDE, SCALE, { x: 1, y: 1, sigma: 1 });
    observer = imageObserver(plain.image.takenAtMs, plain.image.geometry.dsunMetres, new Map());
    point = positionOf(PLACE, observer)!;
    const made = await spotImage(SIDE, SCALE, { x: SIDE / 2 + point.x / SCALE, y: SIDE / 2 + point.y / SCALE, sigma: 4 });
    const geometry = { ...made.image.geometry, refPixelX: SIDE / 2 + 0.5, refPixelY: SIDE / 2 + 0.5 };
    image = { ...made.image, geometry };
    layers = new LayerRenderer(new ImageReader(made.objects, { memory: anyMemory() }));
  });

  async function drawn(projection: string, imageScale: number, at = { x: 0, y: 0 }, viewer?: Projection) {
    const { recipe } = recipeFromScreenshotParameters({
      ...FIELD,
      x0: at.x,
      y0: at.y,
      imageScale,
      date: image.takenAtMs,
      layers: '[18,1,100]',
      watermark: false,
      projection,
    });
    const pixels = new Uint8Array(frameBytes('rgb', FIELD));
    const plan = { recipe, layers: [{ layer: recipe.layers[0]!, image, reference: null, distanceSeconds: 0 }] };
    const markers = viewer?.kind === 'observer' && viewer.from ? { viewer: viewer.from } : {};
    await new FrameRenderer(layers).draw(plan, markers, 'rgb', pixels);
    const found = centroid(FIELD.width, FIELD.width * FIELD.height, (i) => pixels[3 * i]!);
    return {
      pixels,
      x: at.x + (found.x - FIELD.width / 2) * imageScale,
      y: at.y + (found.y - FIELD.height / 2) * imageScale,
    };
  }

  const expected = (): readonly (readonly [string, number, { x: number; y: number }])[] => [
    ['sphere,-20,10', 5, seen({ longitude: -20, latitude: 10 }, observer.distanceRadii)],
    ['sphere,-70,-15', 5, seen({ longitude: -70, latitude: -15 }, observer.distanceRadii)],
    ['sphere,-20,10,0.1', 5, seen({ longitude: -20, latitude: 10 }, (0.1 * 149_597_870_700) / 695_700_000)],
    [
      'unwrapped',
      12,
      {
        x: RADIUS * (((Math.atan2(-point.x, -point.y) + 2 * Math.PI) % (2 * Math.PI)) - Math.PI),
        y: -Math.hypot(point.x, point.y),
      },
    ],
    ['radial,0', 5, point],
    [
      'polar,north',
      8,
      { x: RADIUS * 68 * RADIANS * Math.sin(-35 * RADIANS), y: RADIUS * 68 * RADIANS * Math.cos(-35 * RADIANS) },
    ],
    [
      'carrington',
      10,
      { x: RADIUS * (((((-35 + observer.l0Degrees) % 360) + 360) % 360) - 180) * RADIANS, y: -RADIUS * 22 * RADIANS },
    ],
    [
      'cea',
      10,
      { x: RADIUS * (((((-35 + observer.l0Degrees) % 360) + 360) % 360) - 180) * RADIANS, y: -RADIUS * Math.sin(22 * RADIANS) },
    ],
  ];

  it('shows a place where spherical trigonometry has it, within a fifth of a pixel', async () => {
    for (const [projection, scale, place] of expected()) {
      const found = await drawn(projection, scale);
      expect(Math.hypot(found.x - place.x, found.y - place.y) / scale, projection).toBeLessThan(0.2);
    }
  });

  it('shows a place as fine as the file where it is enlarged', async () => {
    const place = seen({ longitude: -20, latitude: 10 }, observer.distanceRadii);
    const found = await drawn('sphere,-20,10', 0.5, place);
    // A tenth of a pixel of the file: the spot itself is bent by the sphere.
    expect(Math.hypot(found.x - place.x, found.y - place.y)).toBeLessThan(SCALE / 10);
  });

  it('shows another observer the same place', async () => {
    const from = { longitude: -60, latitude: 3, distanceAu: 0.4 };
    const place = seen(from, (0.4 * 149_597_870_700) / 695_700_000);
    const found = await drawn('observer,solo', 5, undefined, { kind: 'observer', body: 'solo', from });
    expect(Math.hypot(found.x - place.x, found.y - place.y) / 5).toBeLessThan(0.2);
    await expect(drawn('observer,solo', 5)).rejects.toThrow('not known');
  });

  it('draws nothing of what the observer did not see', async () => {
    const { pixels } = await drawn('sphere,150,0', 5);
    expect(pixels.every((level) => level === 0)).toBe(true);
    expect(limbRadius(observer)).toBeGreaterThan(900);
  });
});
