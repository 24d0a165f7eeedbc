import { expect, it } from 'vitest';
import { ringOf } from '../../../src/picture/raster/mask.ts';
import { allSources, findSource } from '../../../src/sun/catalogue/sources.ts';
import type { ImageGeometry } from '../../../src/sun/image.ts';

/** A CCOR-1 image of 2048 x 1920 pixels of 19.3 arcseconds, with the Sun beside the centre. */
const CCOR_1 = { width: 2048, height: 1920, refPixelX: 1030.5, refPixelY: 950.5, rsunPixels: 959.6 / 19.3 } as ImageGeometry;

it('the mask of a datasource hides the occulter of CCOR-1 and its corners by the size of the Sun in the image', () => {
  const mask = findSource(132)!.mask!;
  const { inner, outer } = ringOf(mask, CCOR_1);
  expect([inner.x, inner.y, Math.round(inner.radius), Math.round(outer.radius)]).toEqual([1030, 970, 184, 1094]);
  expect(mask.masksDownloads).toBe(false);
});

it('the mask of a datasource exists for the coronagraphs with an occulter that has been measured or published', () => {
  const masked = allSources.filter(({ mask }) => mask !== null).map(({ id }) => id);
  expect(masked).toEqual([4, 5, 28, 29, 30, 31, 83, 132]);
  expect(allSources.filter(({ isBlackTransparent }) => isBlackTransparent).map(({ id }) => id)).toEqual([131, 134]);
});
