import { expect, it } from 'vitest';
import { CREDIT } from '../../../../src/picture/overlays/credit.ts';
import { inkBox, overlayFrame, rasterAround } from '../../../support/imaging/overlays.ts';

const line = (credit?: string) => ({ name: 'SDO AIA 171', takenAtMs: 0, credit });
const drawn = (width: number, ...credits: (string | undefined)[]) =>
  CREDIT.draw(true, overlayFrame({ width, height: 400, captions: credits.map(line) }));

it('writes the credit of each mission once, within the frame', async () => {
  const [overlay] = drawn(600, 'NASA/SDO', 'SOHO/LASCO (ESA & NASA)', 'NASA/SDO');
  expect([...overlay!.svg.matchAll(/>([^<]+)<\/text>/g)].map(([, text]) => text)).toEqual([
    'NASA/SDO',
    'SOHO/LASCO (ESA &amp; NASA)',
  ]);
  const ink = inkBox(await rasterAround(overlay!, 8))!;
  expect([ink.x >= 8, ink.y >= 8, ink.x + ink.width <= overlay!.width + 8, ink.y + ink.height <= overlay!.height + 8]).toEqual([
    true,
    true,
    true,
    true,
  ]);
});

it('writes smaller letters where a line is longer than the frame', () => {
  const long = 'Courtesy of the Mauna Loa Solar Observatory, operated by HAO/NCAR with support of NSF';
  const { x, width } = drawn(500, long)[0]!;
  expect(x + width).toBeLessThanOrEqual(500);
  expect(drawn(500, undefined)).toEqual([]);
});
