import { describe, expect, it } from 'vitest';
import { CREDIT } from '../../../../src/picture/overlays/credit.ts';
import { LOGO } from '../../../../src/picture/overlays/drawing/frame-overlays.ts';
import { type Box, type LayerCaption, type Overlay, overlap } from '../../../../src/picture/overlays/overlay.ts';
import { SCALE, type ScaleIndicator } from '../../../../src/picture/overlays/scale.ts';
import { WATERMARK } from '../../../../src/picture/overlays/watermark.ts';
import type { Size } from '../../../../src/sun/image.ts';
import { expectInkInBox, inkBox, overlayFrame, rasterAround } from '../../../support/imaging/overlays.ts';

const NOON = Date.UTC(2021, 5, 1, 12);
const LINE = { name: 'SDO AIA 171', takenAtMs: NOON };
const LONG = { name: 'STEREO_A SECCHI COR2 white-light', takenAtMs: NOON, suffix: '[BD 2012-01-01 00:00:00]' };
const watermark = (frame: Size, captions: readonly LayerCaption[], ...taken: Box[]) =>
  WATERMARK.draw(true, overlayFrame({ ...frame, captions, taken }));
const scaleBox = (indicator: ScaleIndicator, frame: Size) =>
  SCALE.draw(indicator, overlayFrame({ ...frame, scaleArcsecPerPixel: 0.6 }))[0]!;
const frameOf = (width: number, height: number) => ({ width, height });
const textsIn = (overlay: Overlay) => [...overlay.svg.matchAll(/>([^<]+)<\/text>/g)].map((match) => match[1]);

/** Ink in the coordinates of the frame. */
async function inkOf(overlay: Overlay) {
  const ink = inkBox(await rasterAround(overlay, 8))!;
  return { ...ink, x: overlay.x + ink.x - 8, y: overlay.y + ink.y - 8 };
}

describe('the watermark', () => {
  it('requires 200 pixels in both directions, and a width above 285 for its text', () => {
    expect(watermark(frameOf(199, 400), [LINE])).toEqual([]);
    expect(watermark(frameOf(400, 199), [LINE])).toEqual([]);
    expect(watermark(frameOf(285, 200), [LINE])).toHaveLength(1);
    expect(watermark(frameOf(286, 200), [LINE])).toHaveLength(2);
    expect(watermark(frameOf(286, 200), [])).toHaveLength(1);
  });

  it.each([
    [1920, LOGO.width, LOGO.height],
    [600, LOGO.width, LOGO.height],
    [599, 49, 49],
    [300, 25, 25],
  ])('puts its logo 10 pixels from the lower right corner of a frame %i wide', async (width, logoWidth, logoHeight) => {
    const [logo] = watermark(frameOf(width, 400), []);
    expect(logo).toMatchObject({ x: width - 10 - logoWidth, y: 390 - logoHeight, width: logoWidth, height: logoHeight });
    const ink = await inkOf(logo!);
    expect(ink.x).toBeGreaterThanOrEqual(logo!.x);
    expect(ink.x + ink.width).toBeLessThanOrEqual(width - 10);
    expect(ink.width).toBeGreaterThanOrEqual(logoWidth - 4);
    expect(ink.height).toBeGreaterThanOrEqual(logoHeight - 4);
  });

  it('names each layer and its time, in the order of the layers', () => {
    const [, text] = watermark(frameOf(1920, 1200), [LINE, { ...LONG, takenAtMs: NOON + 1_999 }]);
    expect(textsIn(text!)).toEqual([
      'SDO AIA 171',
      '2021-06-01 12:00:00',
      'STEREO_A SECCHI COR2 white-light',
      '2021-06-01 12:00:01 [BD 2012-01-01 00:00:00]',
    ]);
  });

  it.each([1, 2, 3, 4, 5])('keeps %i lines in the frame and in their box', async (count) => {
    const [, text] = watermark(frameOf(1920, 1200), Array(count).fill(LONG));
    const ink = await inkOf(text!);
    expect(ink.x).toBeLessThanOrEqual(14);
    expect(ink.y + ink.height).toBeLessThanOrEqual(1194);
    await expectInkInBox(text!);
    expect(ink.height).toBeGreaterThan(14 * (count - 1) + 9);
  });

  it.each([286, 320, 400, 599, 600, 640, 960])('stays legible on a frame %i wide with long lines', async (width) => {
    const lines = [LONG, { ...LINE, suffix: '[RD 12 month(s)]' }, LINE];
    const [logo, text] = watermark(frameOf(width, 300), lines);
    expect(overlap(logo!, text!)).toBe(false);
    if (width >= 400) expect(text!.x + text!.width).toBeLessThanOrEqual(width);
  });

  it('moves right of the Earth scale only where they would overlap', () => {
    const frame = frameOf(1920, 1200);
    const corner = scaleBox({ type: 'earth', position: null }, frame);
    const [, shifted] = watermark(frame, [LINE, LINE], corner);
    expect(overlap(shifted!, corner)).toBe(false);
    expect(shifted!.x).toBe(100);
    const [, free] = watermark(frame, [LINE, LINE], scaleBox({ type: 'earth', position: { x: 5, y: -100 } }, frame));
    expect(free!.x).toBe(10);
  });

  it('moves its logo above a scale in its corner', () => {
    const frame = frameOf(800, 600);
    const scale = scaleBox({ type: 'scalebar', position: { x: 720, y: -540 } }, frame);
    const [logo] = watermark(frame, [LINE], scale);
    expect(overlap(logo!, scale)).toBe(false);
  });
});

const line = (credit?: string) => ({ name: 'SDO AIA 171', takenAtMs: 0, credit });
const drawn = (width: number, ...credits: (string | undefined)[]) =>
  CREDIT.draw(true, overlayFrame({ width, height: 400, captions: credits.map(line) }));

it('the credit of each mission is written once, within the frame, and in smaller letters where a line is longer', async () => {
  const [overlay] = drawn(600, 'NASA/SDO', 'SOHO/LASCO (ESA & NASA)', 'NASA/SDO');
  expect([...overlay!.svg.matchAll(/>([^<]+)<\/text>/g)].map(([, text]) => text)).toEqual([
    'NASA/SDO',
    'SOHO/LASCO (ESA &amp; NASA)',
  ]);
  await expectInkInBox(overlay!);
  const long = 'Courtesy of the Mauna Loa Solar Observatory, operated by HAO/NCAR with support of NSF';
  const { x, width } = drawn(500, long)[0]!;
  expect(x + width).toBeLessThanOrEqual(500);
  expect(drawn(500, undefined)).toEqual([]);
});
