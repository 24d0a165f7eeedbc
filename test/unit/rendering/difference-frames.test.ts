import { describe, expect, it } from 'vitest';
import type { Shot } from '../../../demo/instruments/instrument.ts';
import { planFrame } from '../../../src/archive/drawing/frame-renderer.ts';
import { recipeFromScreenshotParameters } from '../../../src/picture/recipe.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { renderFrame } from '../../support/imaging/rgb-frame.ts';
import { archivedImage } from '../../support/memory/archived-images.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { sampleArchive } from '../../support/sample-archive.ts';

const [AIA_171, XRT_THIN, XRT_POLY, XRT_ANY] = [10, 44, 45, 10_001];
const FIELD = { imageScale: 8, x0: 0, y0: 0, width: 300, height: 300, watermark: false };

const imagesAt = (sourceId: number, dates: readonly string[], firstId = 1): ArchivedImage[] =>
  dates.map((date, i) => archivedImage(firstId + i, sourceId, date));

/** Source and times of the image and its reference for each layer of a notation. */
async function planned(images: readonly ArchivedImage[], layers: string, date: string) {
  const { recipe } = recipeFromScreenshotParameters({ date: Date.parse(date), layers, ...FIELD });
  const { layers: plan } = await planFrame(new MemoryImageIndex(images), recipe);
  return plan.map(({ image, reference }) => ({
    sourceId: image.sourceId,
    image: new Date(image.takenAtMs).toISOString(),
    reference: reference && new Date(reference.takenAtMs).toISOString(),
    referenceSourceId: reference?.sourceId ?? null,
  }));
}

describe('the reference image of a running difference', () => {
  const leapYear = imagesAt(AIA_171, [
    '2023-02-28T12:00:00Z',
    '2023-03-01T11:00:00Z',
    '2024-01-31T12:00:00Z',
    '2024-02-29T11:59:48Z',
    '2024-02-29T12:00:12Z',
    '2024-03-31T11:55:00Z',
    '2024-03-31T12:00:00Z',
  ]);

  it.each([
    ['a month before 31 March, on the last day of February', '1,1,5', '2024-02-29T11:59:48.000Z'],
    ['five minutes before, at exactly that time', '1,5,1', '2024-03-31T11:55:00.000Z'],
    ['six minutes before, with the latest image in February', '1,6,1', '2024-02-29T12:00:12.000Z'],
    ['zero minutes before, the image itself', '1,0,1', '2024-03-31T12:00:00.000Z'],
  ])('subtracts the latest image at or before: %s', async (_, difference, reference) => {
    const [layer] = await planned(leapYear, `[10,1,100,${difference}]`, '2024-03-31T12:00:00Z');
    expect(layer).toMatchObject({ image: '2024-03-31T12:00:00.000Z', reference });
  });

  it('counts from the time of the image, not of the request, and fails when the archive has no image that old', async () => {
    const [layer] = await planned(leapYear, '[10,1,100,1,5,1]', '2024-03-31T11:56:00Z');
    expect(layer).toMatchObject({ image: '2024-03-31T11:55:00.000Z', reference: '2024-02-29T12:00:12.000Z' });
    const expected = { kind: 'no-earlier-image', message: expect.stringContaining('2014-03-31 12:00:00') };
    await expect(planned(leapYear, '[10,1,100,1,10,6]', '2024-03-31T12:00:00Z')).rejects.toMatchObject(expected);
  });

  it('takes the filters of the newer image for a group of XRT', async () => {
    const xrt = [
      ...imagesAt(XRT_THIN, ['2024-01-01T00:00:00Z', '2024-01-01T02:00:00Z']),
      ...imagesAt(XRT_POLY, ['2024-01-01T00:50:00Z', '2024-01-01T01:00:30Z'], 10),
    ];
    const [layer] = await planned(xrt, `[${XRT_ANY},1,100,1,1,2]`, '2024-01-01T01:59:00Z');
    expect(layer).toEqual({
      sourceId: XRT_THIN,
      image: '2024-01-01T02:00:00.000Z',
      reference: '2024-01-01T00:00:00.000Z',
      referenceSourceId: XRT_THIN,
    });
  });
});

const images = imagesAt(AIA_171, ['2024-01-01T00:00:00Z', '2024-01-01T00:30:00Z', '2024-01-01T01:00:00Z']);

it.each([
  ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00.000Z'],
  ['2024-01-01T00:29:59.999Z', '2024-01-01T00:00:00.000Z'],
  ['2024-01-01T00:30:00.000Z', '2024-01-01T00:30:00.000Z'],
  ['2030-01-01T00:00:00Z', '2024-01-01T01:00:00.000Z'],
])('the reference image of a base difference subtracts the latest image at or before %s', async (base, reference) => {
  const [layer] = await planned(images, `[10,1,100,2,1,1,${base}]`, '2024-01-01T01:00:00Z');
  expect(layer).toMatchObject({ image: '2024-01-01T01:00:00.000Z', reference });
});

it('the reference image of a base difference selects a reference image for each layer', async () => {
  const layers = '[10,1,100,2,1,1,2024-01-01T00:00:00Z],[10,1,50],[10,1,50,1,30,1]';
  const plan = await planned(images, layers, '2024-01-01T01:00:00Z');
  expect(plan.map(({ reference }) => reference)).toEqual(['2024-01-01T00:00:00.000Z', null, '2024-01-01T00:30:00.000Z']);
});

const shot = (date: string): Shot => ({ sourceId: AIA_171, timeMs: Date.parse(date), size: 512 });

it('a rendered difference shows 128 plus 256 times the relative change from a base at a common scale', async () => {
  const [olderDate, newerDate] = ['2023-07-04T12:00:00Z', '2024-01-04T12:00:00Z'];
  const archive = await sampleArchive([shot(olderDate), shot(newerDate)]);
  const draw = (date: string, layers: string) =>
    renderFrame(archive, { date: Date.parse(date), layers, colour: 'false', ...FIELD });
  const [newer, older] = [await draw(newerDate, '[10,1,100]'), await draw(olderDate, '[10,1,100]')];
  const drawn = await draw(newerDate, '[10,1,100,3,1,1,2023-08-01T00:00:00Z]');
  const level = (a: number, b: number) => Math.min(Math.max((256 * a) / b - 128, 0), 255);
  let [outside, changed] = [0, 0];
  for (let i = 0; i < drawn.pixels.length; i++) {
    const [a, b] = [newer.pixels[i]!, older.pixels[i]!];
    // A level of 0 has no ratio, and one of 1 none with the rounding of the older picture.
    if (b < 2) continue;
    const isWithin = drawn.pixels[i]! >= level(a, b + 1) - 1 && drawn.pixels[i]! <= level(a, b - 1) + 1;
    if (!isWithin) outside++;
    if (Math.abs(drawn.pixels[i]! - 128) > 10) changed++;
  }
  expect(outside).toBe(0);
  expect(changed).toBeGreaterThan(10_000);
});
