// Pictures in other projections than the plane: spots at known places of the Sun are found where spherical trigonometry puts them.
import { describe, expect, it } from 'vitest';
import { FrameRenderer, frameBytes, planFrame } from '../../../src/archive/drawing/frame-renderer.ts';
import { LayerRenderer } from '../../../src/archive/drawing/layer-renderer.ts';
import { ImageReader } from '../../../src/archive/reading/image-reader.ts';
import type { Projection } from '../../../src/picture/projection.ts';
import { recipeFromScreenshotParameters } from '../../../src/picture/recipe.ts';
import { imageObserver } from '../../../src/sun/coordinates/observer.ts';
import { limbRadius, positionOf } from '../../../src/sun/coordinates/picture-plane.ts';
import { AU_METRES, RADIANS, RADIUS, RADIUS_METRES, seen } from '../../support/imaging/seen.ts';
import { centroid, spotImage } from '../../support/imaging/spot-image.ts';
import { jp2File } from '../../support/jp2/jp2-file.ts';
import { anyMemory } from '../../support/memory/any-memory.ts';
import { archiveOfFiles } from '../../support/sample-archive.ts';

const SIDE = 1024;
const SCALE = 2.4;
const PLACE = { longitude: -35, latitude: 22 };
const FIELD = { x0: 0, y0: 0, width: 640, height: 480 };

// The observer that the reader finds for a file without a header.
const plain = await spotImage(SIDE, SCALE, { x: 1, y: 1, sigma: 1 });
const observer = imageObserver(plain.image.takenAtMs, plain.image.geometry.dsunMetres, new Map());
const point = positionOf(PLACE, observer)!;
const made = await spotImage(SIDE, SCALE, { x: SIDE / 2 + point.x / SCALE, y: SIDE / 2 + point.y / SCALE, sigma: 4 });
const geometry = { ...made.image.geometry, refPixelX: SIDE / 2 + 0.5, refPixelY: SIDE / 2 + 0.5 };
const image = { ...made.image, geometry };
const layers = new LayerRenderer(new ImageReader({ objects: made.objects, memory: anyMemory() }));

describe('a picture in a projection', () => {
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
    await new FrameRenderer({ layers }).draw(plan, markers, 'rgb', pixels);
    const found = centroid(FIELD.width, FIELD.width * FIELD.height, (i) => pixels[3 * i]!);
    return { pixels, x: at.x + (found.x - FIELD.width / 2) * imageScale, y: at.y + (found.y - FIELD.height / 2) * imageScale };
  }

  const expected = (): readonly (readonly [string, number, { x: number; y: number }])[] => [
    ['sphere,-20,10', 5, seen({ longitude: -20, latitude: 10 }, PLACE, observer.distanceRadii)],
    ['sphere,-70,-15', 5, seen({ longitude: -70, latitude: -15 }, PLACE, observer.distanceRadii)],
    ['sphere,-20,10,0.1', 5, seen({ longitude: -20, latitude: 10 }, PLACE, (0.1 * AU_METRES) / RADIUS_METRES)],
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
    const place = seen({ longitude: -20, latitude: 10 }, PLACE, observer.distanceRadii);
    const found = await drawn('sphere,-20,10', 0.5, place);
    // A tenth of a pixel of the file: the spot itself is bent by the sphere.
    expect(Math.hypot(found.x - place.x, found.y - place.y)).toBeLessThan(SCALE / 10);
  });

  it('shows another observer the same place, and draws nothing of what the observer did not see', async () => {
    const from = { longitude: -60, latitude: 3, distanceAu: 0.4 };
    const place = seen(from, PLACE, (0.4 * AU_METRES) / RADIUS_METRES);
    const found = await drawn('observer,solo', 5, undefined, { kind: 'observer', body: 'solo', from });
    expect(Math.hypot(found.x - place.x, found.y - place.y) / 5).toBeLessThan(0.2);
    await expect(drawn('observer,solo', 5)).rejects.toThrow('not known');
    const { pixels } = await drawn('sphere,150,0', 5);
    expect(pixels.every((level) => level === 0)).toBe(true);
    expect(limbRadius(observer)).toBeGreaterThan(900);
  });
});

describe('layers of several observers on one Sun', () => {
  const [SOURCES, SIZE, APART] = [{ aia171: 10, euvi171: 20, euvi304: 23 }, 256, 60];
  const DSUN = 149_597_870_700;
  const of = (longitude: number, keywords: Readonly<Record<string, string | number>>) => ({
    ...{ 'DATE-OBS': '2022-04-01T00:00:45.000', NAXIS1: SIZE, NAXIS2: SIZE, CDELT1: 8, CDELT2: 8, CRVAL1: 0, CRVAL2: 0 },
    ...{ CRPIX1: 128.5, CRPIX2: 128.5, DSUN_OBS: DSUN, HGLN_OBS: longitude, HGLT_OBS: 0, ...keywords },
  });
  const stereo = { OBSRVTRY: 'STEREO_A', INSTRUME: 'SECCHI', DETECTOR: 'EUVI' };
  const headers = {
    aia171: of(0, { TELESCOP: 'SDO/AIA', INSTRUME: 'AIA_3', WAVELNTH: 171 }),
    euvi171: of(APART, { ...stereo, WAVELNTH: 171 }),
    euvi304: of(APART, { ...stereo, WAVELNTH: 304 }),
  };

  /** Red, green and blue of a picture of bright discs. */
  const drawn = (async () => {
    const { image, objects } = await spotImage(SIZE, 8, { x: 128, y: 128, sigma: 1e5 });
    const codestream = (await objects.readAll(image.key))!;
    const files = Object.entries(headers).map(([name, fits]) => {
      const xml = Object.entries(fits).map(([keyword, value]) => `<${keyword}>${value}</${keyword}>`);
      return { path: `X/2022/04/01/${name}/${name}.jp2`, jp2: jp2File(codestream, `<meta><fits>${xml.join('')}</fits></meta>`) };
    });
    const { index, layers } = await archiveOfFiles(files);
    return async (notation: string, projection: string, stripSamples?: number) => {
      const field = { x0: 0, y0: 0, width: 256, height: 200, imageScale: 10, watermark: false };
      const { recipe } = recipeFromScreenshotParameters({ ...field, date: Date.UTC(2022, 3, 1), layers: notation, projection });
      const pixels = new Uint8Array(frameBytes('rgb', field));
      await new FrameRenderer({ layers, stripSamples }).draw(await planFrame(index, recipe), {}, 'rgb', pixels);
      return pixels;
    };
  })();
  const { aia171, euvi171, euvi304 } = SOURCES;

  it('share places by their views where they are of one line, and are whole where one alone sees', async () => {
    const draw = await drawn;
    const [both, aia, euvi] = await Promise.all(
      [`[${aia171},1,100],[${euvi171},1,100]`, `[${aia171},1,100]`, `[${euvi171},1,100]`].map((text) =>
        draw(text, 'sphere,30,0'),
      ),
    );
    const weight = (cosine: number) => {
      const mu = (214.94 * cosine - 1) / Math.sqrt(214.94 ** 2 + 1 - 2 * 214.94 * cosine);
      const share = Math.min(1, Math.max(0, (mu * mu - 0.0225) / (0.25 - 0.0225)));
      return mu > 0 ? mu * mu * (share * share * (3 - 2 * share) + 1e-3) + 1e-6 : 0;
    };
    let mixed = 0;
    for (let y = 0; y < 200; y++) {
      for (let x = 0; x < 256; x++) {
        const [u, v] = [((x - 127.5) * 10) / RADIUS, ((y - 99.5) * 10) / RADIUS];
        const depth = Math.sqrt(1 - u * u - v * v);
        if (!(depth > 0.2)) continue;
        const cosine = (longitude: number) => Math.sin(longitude * RADIANS) * u + Math.cos(longitude * RADIANS) * depth;
        const [a, b] = [weight(cosine(-30)), weight(cosine(30))];
        const at = 3 * (y * 256 + x);
        const isAtEdge = Math.min(Math.abs(cosine(-30)), Math.abs(cosine(30))) < 0.06;
        if (a + b === 0 || isAtEdge) continue;
        if (a > 0.1 && b > 0.1) mixed++;
        for (let c = at; c < at + 3; c++) {
          expect(Math.abs(both![c]! - (a * aia![c]! + b * euvi![c]!) / (a + b)), `${x}, ${y}`).toBeLessThan(16);
        }
      }
    }
    expect(mixed).toBeGreaterThan(5000);
    // Strips do not change them.
    expect(Buffer.compare(await draw(`[${aia171},1,100],[${euvi171},1,100]`, 'sphere,30,0', 1 << 13), both!)).toBe(0);
  });

  it.each([
    [`[${aia171},1,100],[${euvi304},1,100]`, 'sphere,30,0', `[${euvi304},1,100]`],
    [`[${aia171},1,100],[${euvi304},1,100],[${euvi171},1,100]`, 'sphere,30,0', `[${euvi171},1,100]`],
    [`[${aia171},1,100],[${euvi171},1,100]`, 'radial,0', `[${euvi171},1,100]`],
  ])(
    'lie one over the other where they are of other lines, have one between them, and in pictures of one plane: %s, %s',
    async (notation, projection, top) => {
      const draw = await drawn;
      const [both, alone] = [await draw(notation, projection), await draw(top, projection)];
      const lightAt = (pixels: Uint8Array, i: number) => pixels[3 * i]! + 256 * pixels[3 * i + 1]! + 65_536 * pixels[3 * i + 2]!;
      const inside = [...Array(256 * 200).keys()].filter((i) => lightAt(alone, i) === lightAt(alone, 100 * 256 + 150));
      expect(inside.length).toBeGreaterThan(8000);
      expect(inside.filter((i) => lightAt(both, i) !== lightAt(alone, i))).toEqual([]);
    },
  );
});
