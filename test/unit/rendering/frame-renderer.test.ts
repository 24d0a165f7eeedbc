import { expect, it } from 'vitest';
import type { Shot } from '../../../demo/instruments/instrument.ts';
import { captionsOf, type FrameMarkers, FrameRenderer, planFrame } from '../../../src/archive/drawing/frame-renderer.ts';
import { TileRenderer } from '../../../src/archive/drawing/tile.ts';
import { recipeFromScreenshotParameters, type ScreenshotParameters } from '../../../src/picture/recipe.ts';
import { type Pace, paceOf, UNTIMED } from '../../../src/platform/ports/timing.ts';
import { HOUR_MS } from '../../../src/platform/util/durations.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { type RgbFrame, renderFrame } from '../../support/imaging/rgb-frame.ts';
import { tileRegion } from '../../support/recipes.ts';
import { sampleArchive } from '../../support/sample-archive.ts';

const PNG = { type: 'png' } as const;
const NOON = Date.parse('2024-05-10T12:00:00Z');
const [AIA, EIT, C2, C3, HMI] = [10, 0, 4, 5, 19];

const shot = (sourceId: number, size: number, timeMs = NOON): Shot => ({ sourceId, timeMs, size });
const bare = { date: NOON, watermark: false };

/** A picture of `width` by `height` pixels around the Sun's centre. */
const around = (layers: string, imageScale: number, width: number, height: number): ScreenshotParameters => ({
  ...bare,
  layers,
  imageScale,
  x0: 0,
  y0: 0,
  width,
  height,
});

const pixel = ({ width, pixels }: RgbFrame, x: number, y: number): number[] => [
  ...pixels.subarray((y * width + x) * 3, (y * width + x) * 3 + 3),
];

/** Number of different channel values, and the largest difference. */
function difference(a: Uint8Array, b: Uint8Array): { channels: number; most: number } {
  let [channels, most] = [a.length === b.length ? 0 : Number.POSITIVE_INFINITY, 0];
  for (let i = 0; i < a.length; i++) {
    const change = Math.abs(a[i]! - b[i]!);
    if (change > 0) channels++;
    most = Math.max(most, change);
  }
  return { channels, most };
}

const EQUAL = { channels: 0, most: 0 };

const isBlack = (frame: RgbFrame): boolean => frame.pixels.every((value) => value === 0);

const earlier = [AIA, EIT].map((sourceId) => shot(sourceId, 512, NOON - 6 * HOUR_MS));
const archive = await sampleArchive([
  ...earlier,
  ...[AIA, EIT, C2].map((id) => shot(id, 1024)),
  ...[C3, HMI].map((id) => shot(id, 512)),
]);

function imageOf(sourceId: number): ArchivedImage {
  return archive.images.findLast((image) => image.sourceId === sourceId)!;
}

async function tileOnBlack(image: ArchivedImage, tile: { x: number; y: number; imageScale: number }): Promise<Uint8Array> {
  const { rgba } = readPng(await new TileRenderer(archive).render({ image, reference: null }, tile));
  const rgb = new Uint8Array(512 * 512 * 3);
  for (let i = 0; i < 512 * 512; i++) {
    const alpha = rgba[i * 4 + 3]!;
    for (let c = 0; c < 3; c++) rgb[i * 3 + c] = Math.round((rgba[i * 4 + c]! * alpha) / 255);
  }
  return rgb;
}

const CLIENT_SCALE = 0.60511022;
it.each([
  ['AIA 171', AIA, [CLIENT_SCALE, CLIENT_SCALE * 4, CLIENT_SCALE * 8, 3.3]],
  ['EIT 171, with the Sun off the image centre', EIT, [CLIENT_SCALE * 4, CLIENT_SCALE * 8, 2.6, 7]],
  ['LASCO C2 with its ring', C2, [CLIENT_SCALE * 16, CLIENT_SCALE * 32, 11.9, 20]],
] as const)('a screenshot of the region of a tile equals the tile pixel for pixel for %s', async (_, sourceId, scales) => {
  const image = imageOf(sourceId);
  const places = [
    [-1, -1],
    [0, 0],
    [-1, 0],
    [1, -1],
  ] as const;
  for (const [i, imageScale] of scales.entries()) {
    for (const [x, y] of places.slice(0, i === 0 ? 4 : 2)) {
      const tile = { x, y, imageScale };
      const { left, top, right, bottom } = tileRegion(image.geometry, tile);
      const frame = await renderFrame(archive, {
        ...bare,
        layers: `[${sourceId},1,100]`,
        imageScale,
        x1: left,
        y1: top,
        x2: right,
        y2: bottom,
      });
      const expected = await tileOnBlack(image, tile);
      expect(difference(frame.pixels, expected), `tile ${x}, ${y} at ${imageScale}`).toEqual(EQUAL);
    }
  }
});

/** The picture and the number of its strips. */
async function inStrips(parameters: ScreenshotParameters, markers: FrameMarkers, stripSamples: number, overlayMagnification = 1) {
  const { recipe } = recipeFromScreenshotParameters(parameters);
  const plan = await planFrame(archive.index, { ...recipe, overlayMagnification });
  const pixels = new Uint8Array(recipe.width * recipe.height * 3);
  let strips = 0;
  for await (const strip of new FrameRenderer({ layers: archive.layers, stripSamples }).strips(plan, markers)) {
    pixels.set(strip.pixels, strip.y0 * recipe.width * 3);
    strips++;
  }
  return { pixels, strips };
}

const markers: FrameMarkers = {
  events: [
    {
      pin: 'AR',
      colour: 'FF8F97',
      x: 200,
      y: 130,
      label: ['NOAA 13664', 'second line'],
      polygons: [
        [
          [150, 40],
          [260, 45],
          [250, 300],
          [140, 280],
        ],
      ],
    },
  ],
  movies: [{ x: 60, y: 126, label: 'AIA 171' }],
  moon: false,
};

it.each([
  ['a reduced layer', '[10,1,100]', 7.3],
  ['an enlarged layer', '[0,1,100]', 1.1],
  ['three layers with rings', '[10,1,100],[4,1,80],[5,1,100]', 57],
  ['a difference', '[10,1,100,1,6,2]', 6.1],
  ['a difference with the Sun off the image centre', '[0,1,70,1,6,2]', 5.3],
  ['a ring across every strip', '[10,1,100],[4,1,100]', 13.7],
])('a picture rendered in several strips equals the picture rendered in one strip: %s', async (_, layers, imageScale) => {
  const parameters = { ...around(layers, imageScale, 331, 390), watermark: true, scale: true };
  const whole = await inStrips(parameters, markers, 1 << 30);
  expect(whole.strips).toBe(1);
  for (const stripSamples of [1, 331 * 91]) {
    const cut = await inStrips(parameters, markers, stripSamples);
    expect(cut.strips).toBeGreaterThan(2);
    expect(difference(cut.pixels, whole.pixels), `${cut.strips} strips`).toEqual(EQUAL);
  }
});

it('a picture rendered in several strips equals the picture rendered in one strip with magnified overlays', async () => {
  const parameters = { ...around('[10,1,100]', 7.3, 531, 590), watermark: true, scale: true };
  const plain = await inStrips(parameters, markers, 1 << 30);
  for (const magnification of [4 / 3, 2]) {
    const whole = await inStrips(parameters, markers, 1 << 30, magnification);
    const cut = await inStrips(parameters, markers, 331 * 91, magnification);
    expect(cut.strips).toBeGreaterThan(2);
    expect(difference(cut.pixels, whole.pixels)).toEqual(EQUAL);
    expect(difference(whole.pixels, plain.pixels).channels).toBeGreaterThan(30_000);
    // The grey title of the scale's box starts 82 pixels above the lower edge, times the magnification.
    const frame = { width: 531, height: 590, pixels: whole.pixels };
    const top = 590 - 82 * magnification;
    expect(pixel(frame, 30, Math.ceil(top) + 3)).toEqual([0x33, 0x33, 0x33]);
    expect(pixel(frame, 3, Math.floor(top) - 2)).not.toEqual([0x33, 0x33, 0x33]);
  }
});

it('the layers of a picture do not appear if hidden, not even in the watermark', async () => {
  const hidden = await renderFrame(archive, { ...around('[19,0,100],[10,1,100],[4,1,0]', 9, 320, 200), watermark: true });
  const alone = await renderFrame(archive, { ...around('[10,1,100]', 9, 320, 200), watermark: true });
  expect(difference(hidden.pixels, alone.pixels)).toEqual(EQUAL);
});

it('the layers of a picture layers stay black outside their images, alone and over another layer', async () => {
  const far = { ...bare, imageScale: 2, x1: 30_000, y1: 30_000, x2: 30_400, y2: 30_200 };
  expect(isBlack(await renderFrame(archive, { ...far, layers: '[10,1,100],[4,1,100]' }))).toBe(true);
  const beside = { ...bare, imageScale: 5, x1: 2500, y1: -500, x2: 3500, y2: 500 };
  const c2 = await renderFrame(archive, { ...beside, layers: '[4,1,100]' });
  const both = await renderFrame(archive, { ...beside, layers: '[4,1,100],[10,1,100]' });
  expect(isBlack(c2)).toBe(false);
  expect(difference(both.pixels, c2.pixels)).toEqual(EQUAL);
});

it('the layers of a picture: a difference stays black where the images do not overlap', async () => {
  // Shifts the older image east until only its western edge is inside the field.
  const newer = imageOf(AIA);
  const older = archive.images.find((image) => image.sourceId === AIA)!;
  const scale = older.geometry.scaleArcsecPerPixel;
  const shifted = { ...older, geometry: { ...older.geometry, refPixelX: older.geometry.refPixelX + 600 / scale } };
  const { recipe } = recipeFromScreenshotParameters(around('[10,1,100,1,6,2]', 8, 300, 300));
  const layer = recipe.layers[0]!;
  const plan = { recipe, layers: [{ layer, image: newer, reference: shifted, distanceSeconds: 0 }] };
  const pixels = new Uint8Array(300 * 300 * 3);
  for await (const strip of archive.frames.strips(plan, {})) pixels.set(strip.pixels, strip.y0 * 900);
  const frame = { width: 300, height: 300, pixels };
  // It ends 256 pixels west of its centre, which is 600 arcseconds east of the Sun's centre.
  const end = 150 + (256 * scale - 600) / 8;
  expect(pixel(frame, Math.floor(end) - 2, 150)).not.toEqual([0, 0, 0]);
  expect(pixel(frame, Math.ceil(end) + 1, 150)).toEqual([0, 0, 0]);
  expect(pixel(frame, 290, 150)).toEqual([0, 0, 0]);
});

it('the layers of a picture: a difference stays black if the reference image lies outside the picture', async () => {
  const { recipe } = recipeFromScreenshotParameters(around('[10,1,100,1,6,2]', 8, 100, 100));
  const [image, layer] = [imageOf(AIA), recipe.layers[0]!];
  const reference = { ...image, geometry: { ...image.geometry, refPixelX: 50_000 } };
  const plan = { recipe, layers: [{ layer, image, reference, distanceSeconds: 0 }] };
  let strips = 0;
  for await (const strip of archive.frames.strips(plan, {})) {
    strips++;
    expect(strip.pixels.every((value) => value === 0)).toBe(true);
  }
  expect(strips).toBe(1);
});

it('a large picture pauses between steps of at most 250,000 pixels or four code-blocks, and gives the same bytes', async () => {
  const { recipe } = recipeFromScreenshotParameters(around(`[${AIA},1,100]`, 1.2, 2048, 2048));
  const plan = await planFrame(archive.index, recipe);
  const steps: number[] = [];
  let [decodes, withoutPause] = [0, 0];
  const pace: Pace = {
    ...UNTIMED,
    measure: (stage, work) => {
      if (stage === 'decode') decodes += 1;
      if (stage === 'decode' && steps.at(-1) === 0) withoutPause += 1;
      if (stage === 'decode') steps.push(0);
      return work();
    },
    pause: async (pixels) => void steps.push(pixels),
  };
  const paced = await archive.frames.file(plan, {}, PNG, pace);
  const pixels = recipe.width * recipe.height;
  expect(Math.max(...steps)).toBeLessThanOrEqual(250_000);
  expect(withoutPause).toBe(0);
  expect(decodes).toBeGreaterThan(pixels / (4 * 64 * 64));
  // Colours, composition and encoder, and what was decoded, of which the sky has little.
  const sum = steps.reduce((all, step) => all + step, 0);
  expect(sum / pixels).toBeGreaterThan(2);
  expect(sum / pixels).toBeLessThan(6);
  expect(Buffer.compare(paced, await archive.frames.file(plan, {}, PNG))).toBe(0);
});

it('the layers of a picture decode one after the other, so that it holds one decoder while it pauses', async () => {
  const { recipe } = recipeFromScreenshotParameters(around(`[${AIA},1,100],[4,1,50]`, 1.2, 1024, 1024));
  const plan = await planFrame(archive.index, recipe);
  let [running, most] = [0, 0];
  const call = { stopwatch: UNTIMED, step: () => new Promise<void>((resolve) => setTimeout(resolve)) };
  const paced = paceOf(call);
  const pace: Pace = {
    ...paced,
    inOrder: (work) =>
      paced.inOrder(async () => {
        running += 1;
        most = Math.max(most, running);
        try {
          return await work();
        } finally {
          running -= 1;
        }
      }),
  };
  const inTurns = await archive.frames.file(plan, {}, PNG, pace);
  expect([running, most]).toEqual([0, 1]);
  expect(Buffer.compare(inTurns, await archive.frames.file(plan, {}, PNG))).toBe(0);
});

it('the captions of a picture name filters, the image that is subtracted, the angle between observers apart, and the credit', async () => {
  const layers = `[${AIA},1,100,2,1,1,2024-05-10T08:00:00Z],[${C2},1,100]`;
  const enhanced = { filters: '[rhef],[nrgf]', steady: '[true],[]' };
  const { recipe } = recipeFromScreenshotParameters({ ...around(layers, 10, 64, 64), ...enhanced });
  const plan = await planFrame(archive.index, recipe);
  const origin = (longitudeDegrees: number) => ({
    isSynthetic: false,
    isRollVerified: true,
    observer: { distanceRadii: 215, b0Degrees: 0, longitudeDegrees, l0Degrees: 0 },
  });
  const captions = captionsOf(plan.layers, [origin(-10), origin(87)]);
  expect(captions.map(({ name }) => name)).toEqual(['SDO AIA 171 steady RHEF', 'SOHO LASCO C2 white-light NRGF']);
  expect(captions.map(({ suffix }) => suffix)).toEqual([
    expect.stringMatching(/^ \[BD 2024-05-10 08:00:00\] − 06:00:\d\d$/),
    ' 97° apart',
  ]);
  expect(captions.map(({ credit }) => credit)).toEqual([expect.stringMatching(/NASA\/SDO/), 'SOHO/LASCO (ESA & NASA)']);
  expect(captionsOf(plan.layers, [origin(0), origin(0.4)])[1]!.suffix).toBe('');
  const unverified = { ...origin(0), isRollVerified: false };
  const noted = captionsOf(plan.layers, [unverified, { ...unverified, isSynthetic: true }]).map(({ suffix }) => suffix);
  expect(noted).toEqual([expect.stringMatching(/:\d\d \(roll not verified\)$/), ' (synthetic)']);
});

it('an image whose data end at the limb leaves the layer below it as it is beyond the limb', async () => {
  const [corona, both] = await Promise.all(
    [`[${AIA},1,100]`, `[${AIA},1,100],[${HMI},1,50]`].map((layers) => renderFrame(archive, around(layers, 5, 480, 480))),
  );
  // 1000 to 1190 arcseconds from the centre, and the disc.
  for (const x of [440, 460, 475]) expect(pixel(both!, x, 240)).toEqual(pixel(corona!, x, 240));
  expect(pixel(both!, 240, 240)).not.toEqual(pixel(corona!, 240, 240));
});
