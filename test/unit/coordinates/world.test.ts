// World coordinates of the real files, against numbers of an independent computation, which limbs and features of their pixels confirm.
import { describe, expect, it } from 'vitest';
import { parseXmlHeader } from '../../../src/jp2/xml-header.ts';
import { ImagePlane } from '../../../src/sun/coordinates/image-plane.ts';
import { imageObserver } from '../../../src/sun/coordinates/observer.ts';
import { wcsOf } from '../../../src/sun/wcs.ts';
import { sampleFiles, xmlOfSample } from '../../support/sample-headers.ts';

const AU = 149_597_870_700;

const DISC = '0 0; 600 -450; -720 310; 250 880; 1100 1100';

/** Arcseconds and FITS pixels, by words of the file name, with the source. */
const EXPECTED: Readonly<Record<string, readonly [sourceId: number, seen: string, pixels: string]>> = {
  AIA_171: [10, DISC, '2048.5 2048.5; 3048.5028 1298.4957; 848.4952 2565.1702; 2465.1669 3515.1766; 3881.8507 3881.8767'],
  AIA_193: [11, DISC, '2048.5 2048.5; 3048.5027 1298.4957; 848.4953 2565.1701; 2465.1668 3515.1764; 3881.8505 3881.8765'],
  HMI_magnet: [19, DISC, '2048.5 2048.5; 3048.5028 1298.4957; 848.4952 2565.1702; 2465.1669 3515.1766; 3881.8507 3881.8767'],
  MDI_continuum: [7, DISC, '512.854 511.9801; 815.0248 285.3513; 150.2485 668.1023; 638.7582 955.1657; 1066.8375 1065.9715'],
  EIT_171: [0, DISC, '512.74 521.95; 740.8775 350.8463; 238.9746 639.8215; 607.7971 856.553; 930.9949 940.2109'],
  SWAP_174: [32, DISC, '512.5 512.5; 702.2377 370.1963; 284.8145 610.5315; 591.5572 790.783; 860.3547 860.3596'],
  FSI_174: [
    84,
    '0 0; 1500 -1200; -2000 1000; 800 2600; -6000 4000',
    '2046.6487 1309.6784; 2363.5399 1014.9745; 1614.1784 1567.7725; 2269.8722 1880.3064; 766.0269 2308.7489',
  ],
  LASCO_C3: [
    5,
    '0 0; 6000 -4500; -12000 9000; 2000 20000; 20000 15000',
    '519.2 533.5; 626.3731 453.0961; 304.6722 694.5889; 554.9154 891.7832; 877.4663 803.0967',
  ],
  RHESSI: [
    95,
    '-887.139 -342.437; -950 -400; -820 -280; -900 -300; -860 -390',
    '50.9963 50.9975; 9.0881 12.6213; 95.7564 92.6229; 42.4221 79.2891; 69.0893 19.2886',
  ],
  iris_1330A: [
    2088,
    '460.95161 479.1404; 440 460; 480 500; 450 505; 470 455',
    '88.5 98.5; 26.1783 40.2632; 145.0433 161.8395; 54.7085 175.8504; 116.5131 26.2522',
  ],
};

const placesOf = (text: string) => text.split('; ').map((place) => place.split(' ').map(Number) as [x: number, y: number]);

const planeOf = (fits: ReadonlyMap<string, string>, sourceId?: number) =>
  ImagePlane.of(wcsOf(fits, sourceId)!, imageObserver(0, AU, fits))!;

describe.skipIf(sampleFiles.length === 0)('the coordinates of a real file', () => {
  it.each(Object.keys(EXPECTED))('places %s as the formulas do, and finds 1,000 pixels again', (words) => {
    const [sourceId, ...texts] = EXPECTED[words]!;
    const [seen, pixels] = texts.map(placesOf) as [[number, number][], [number, number][]];
    const files = sampleFiles.filter((name) => name.includes(words));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const { fits } = parseXmlHeader(xmlOfSample(file))!;
      const plane = planeOf(fits, sourceId);
      for (const [i, [x, y]] of seen.entries()) {
        const pixel = plane.pixelAt({ x, y })!;
        expect(Math.hypot(pixel.x - pixels[i]![0], pixel.y - pixels[i]![1]), `${file} ${x}, ${y}`).toBeLessThan(0.001);
      }
      const [width, height] = wcsOf(fits, sourceId)!.naxis;
      for (let i = 0; i < 1000; i++) {
        const pixel = { x: 0.5 + ((i * 0.754877) % 1) * width, y: 0.5 + ((i * 0.56984) % 1) * height };
        const again = plane.pixelAt(plane.seenAt(pixel))!;
        expect(Math.hypot(again.x - pixel.x, again.y - pixel.y)).toBeLessThan(1e-5);
      }
    }
  });
});

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
  }
  expect(plane.pixelAt({ x: 0, y: 0 })).toEqual({ x: expect.closeTo(119.8323, 3), y: expect.closeTo(154.7691, 3) });
});
