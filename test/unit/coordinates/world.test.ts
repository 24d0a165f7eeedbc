// World coordinates of headers, against numbers of an independent computation. test/conformance/sunpy.test.ts has those of real files.
import { expect, it } from 'vitest';
import { ImagePlane } from '../../../src/sun/coordinates/image-plane.ts';
import { imageObserver } from '../../../src/sun/coordinates/observer.ts';
import { wcsOf } from '../../../src/sun/wcs.ts';

const AU = 149_597_870_700;

const placesOf = (text: string) => text.split('; ').map((place) => place.split(' ').map(Number) as [x: number, y: number]);

const planeOf = (fits: ReadonlyMap<string, string>, sourceId?: number) =>
  ImagePlane.of(wcsOf(fits, sourceId)!, imageObserver(0, AU, fits))!;

it('An observer is at HGLN_OBS, else at CRLN_OBS, which is seen from it as the middle of the disc.', () => {
  const at = (header: Record<string, string>) =>
    imageObserver(Date.UTC(2021, 5, 1), 1.5167894e11, new Map(Object.entries(header)));
  const { longitudeDegrees, l0Degrees } = at({ CRLN_OBS: '123.5' });
  expect((longitudeDegrees + l0Degrees) % 360).toBeCloseTo(123.5, 9);
  expect(at({ CRLN_OBS: '123.5', HGLN_OBS: '-4.25' }).longitudeDegrees).toBe(-4.25);
  // The Earth, by the header of AIA 171.
  expect(at({ CRLN_OBS: '88.405655' }).longitudeDegrees).toBeCloseTo(0, 1);
});

it('The corners of a slit scan with oblong pixels and a roll are where the ratio of the scales places them.', () => {
  const keywords = { NAXIS1: 96, NAXIS2: 832, CRPIX1: 48.5, CRPIX2: 416.5, CRVAL1: -340, CRVAL2: 220, CDELT1: 4, CDELT2: 1.098 };
  const fits = new Map(Object.entries({ ...keywords, CROTA2: 12.3 }).map(([name, value]) => [name, String(value)]));
  const plane = planeOf(fits);
  const [pixels, places] = [
    '1 1; 96 1; 1 832; 96 832',
    '-428.45 -266.2216; -57.1734 -185.2703; -622.8277 625.2699; -251.5496 706.2216',
  ];
  for (const [i, [x, y]] of placesOf(pixels!).entries()) {
    const seen = plane.seenAt({ x, y });
    expect([seen.x, seen.y]).toEqual(placesOf(places!)[i]!.map((arcsec) => expect.closeTo(arcsec, 3)));
    expect(plane.pixelAt(seen)).toEqual({ x: expect.closeTo(x, 5), y: expect.closeTo(y, 5) });
  }
  expect(plane.pixelAt({ x: 0, y: 0 })).toEqual({ x: expect.closeTo(119.8323, 3), y: expect.closeTo(154.7691, 3) });
});
