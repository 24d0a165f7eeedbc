import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wcsCards } from '../../../src/measure/products.ts';
import { placeOf } from '../../../src/measure/regions.ts';
import { type ImagePlane, imagePlane } from '../../../src/sun/coordinates/image-plane.ts';
import { imageObserver, separationDegrees } from '../../../src/sun/coordinates/observer.ts';
import { wcsOf } from '../../../src/sun/wcs.ts';
import { runPython } from '../../support/measurement/python.ts';
import { hasModules } from '../../support/programs.ts';

const AU = 149_597_870_700;
const NOON = Date.UTC(2024, 4, 10, 12);

const FULL_DISC = {
  ...{ NAXIS: 2, NAXIS1: 4096, NAXIS2: 4096, CTYPE1: 'HPLN-TAN', CTYPE2: 'HPLT-TAN', CUNIT1: 'arcsec', CUNIT2: 'arcsec' },
  ...{ CDELT1: 0.6, CDELT2: 0.6, CRPIX1: 2048.5, CRPIX2: 2048.5, CRVAL1: 0, CRVAL2: 0 },
};

/** Headers with everything that moves a place. */
const HEADERS: readonly Readonly<Record<string, string | number>>[] = [
  FULL_DISC,
  { ...FULL_DISC, CRPIX1: 2000.25, CRPIX2: 2101.75, CRVAL1: 512.5, CRVAL2: -330.25 },
  { ...FULL_DISC, PC1_1: 0.9, PC1_2: 0.43589, PC2_1: -0.43589, PC2_2: 0.9, CRVAL1: -1200, CRVAL2: 800 },
  { ...FULL_DISC, CROTA2: 23.5, CDELT2: 0.603 },
  { ...FULL_DISC, CUNIT1: 'deg', CUNIT2: 'deg', CDELT1: 0.0033, CDELT2: 0.0033, CRVAL1: 1.5, CRVAL2: -2.25, LONPOLE: 170 },
  // A slit scan with oblong pixels, and wide fields: HI1, HI2, PUNCH, and made headers of the other projections.
  { ...FULL_DISC, CRPIX1: 48.5, CRPIX2: 416.5, CRVAL1: -340, CRVAL2: 220, CDELT1: 4, CDELT2: 1.098, CROTA2: 12.3 },
  ...(
    [
      ['AZP', 0.02, 13.5, { PV2_1: 0.167 }],
      ['AZP', 0.05, 53, { PV2_1: 0.82 }],
      ['AZP', 0.02, 13.5, { PV2_1: 0.167, PV2_2: 20 }],
      ['AZP', 0.01, -8, { PV2_1: 1.5, PV2_2: -35 }],
      ['ARC', 0.0225, 0, {}],
      ['SIN', 0.01, 3, {}],
      ['STG', 0.02, 3, {}],
      ['ZPN', 0.01, 3, { PV2_1: 1, PV2_3: -0.08 }],
      ['CAR', 0.02, 20, {}],
      ['CAR', 0.01, 100, { CRVAL2: 10 }],
      ['CAR', 0.01, 20, { CRVAL2: -35 }],
      ['CEA', 0.01, 20, { CRVAL2: 25 }],
      ['CEA', 0.015, 20, { PV2_1: 0.9 }],
    ] as const
  ).map(([code, CDELT, CRVAL1, parameters]) => ({
    ...FULL_DISC,
    ...{ CTYPE1: `HPLN-${code}`, CTYPE2: `HPLT-${code}`, CUNIT1: 'deg', CUNIT2: 'deg', CDELT1: CDELT, CDELT2: CDELT, CRVAL1 },
    ...(code.startsWith('C') ? {} : { CRVAL2: -4.5 }),
    ...{ PC1_1: 0.99, PC1_2: 0.141, PC2_1: -0.141, PC2_2: 0.99 },
    ...parameters,
  })),
];
/** A thousand, and corners. */
const PIXELS = [
  [1, 1],
  [2048.5, 2048.5],
  [4096, 17.25],
  ...Array.from({ length: 1000 }, (_, i) => [1 + ((i * 2531.7) % 4095), 1 + i * 4.0951] as const),
] as const;

const mapOf = (header: Readonly<Record<string, unknown>>) =>
  new Map(Object.entries(header).map(([key, value]) => [key, String(value)]));

function planeOf(
  header: Readonly<Record<string, unknown>>,
  observerKeywords: Readonly<Record<string, unknown>> = {},
): ImagePlane {
  const keywords = mapOf({ ...header, ...observerKeywords });
  return imagePlane(wcsOf(keywords)!, imageObserver(NOON, AU, keywords))!;
}

const hasPython = hasModules('astropy.wcs');

/** A header as our files have it. */
const written = (header: (typeof HEADERS)[number]) =>
  Object.fromEntries([
    ...Object.entries(header).filter(([name]) => name.startsWith('NAXIS')),
    ...wcsCards(wcsOf(mapOf(header))!).map(({ keyword, value }) => [keyword, value]),
  ]);

it.skipIf(!hasPython)(
  'places are those of astropy (python3-astropy), to a thousandth of a pixel and back, and those of our files',
  () => {
    const input = JSON.stringify([...HEADERS, ...HEADERS.map(written)].map((header) => [header, PIXELS]));
    const answers = JSON.parse(runPython('places.py', input)) as [number, number][][];
    for (const [h, places] of answers.slice(HEADERS.length).entries())
      for (const [p, place] of places.entries())
        expect(place, `header ${h}`).toEqual(answers[h]![p]!.map((at) => expect.closeTo(at, 5)));
    for (const [h, header] of HEADERS.entries()) {
      const plane = planeOf(header);
      const arcsecPerPixel = header.CUNIT1 === 'deg' ? Number(header.CDELT1) * 3600 : Number(header.CDELT1);
      for (const [p, [x, y]] of PIXELS.entries()) {
        const seen = plane.seenAt({ x, y });
        const [astropyX, astropyY] = answers[h]![p]!;
        expect(Math.hypot(seen.x - astropyX, seen.y - astropyY) / arcsecPerPixel, `header ${h}, pixel ${x}, ${y}`).toBeLessThan(
          1e-3,
        );
        const back = plane.pixelAt(seen)!;
        expect(Math.hypot(back.x - x, back.y - y)).toBeLessThan(1e-6);
      }
    }
  },
);

it('an observer is at HGLN_OBS, else at CRLN_OBS, which is seen from it as the middle of the disc', () => {
  const at = (header: Record<string, string>) =>
    imageObserver(Date.UTC(2021, 5, 1), 1.5167894e11, new Map(Object.entries(header)));
  const { longitudeDegrees, l0Degrees } = at({ CRLN_OBS: '123.5' });
  expect((longitudeDegrees + l0Degrees) % 360).toBeCloseTo(123.5, 9);
  expect(at({ CRLN_OBS: '123.5', HGLN_OBS: '-4.25D0' }).longitudeDegrees).toBe(-4.25);
  expect(at({ HGLT_OBS: 'nan', CRLT_OBS: '3.5' }).b0Degrees).toBe(3.5);
  // The Earth, by the header of AIA 171.
  expect(at({ CRLN_OBS: '88.405655' }).longitudeDegrees).toBeCloseTo(0, 1);
});

const SEEN_BY = [{}, { HGLN_OBS: 0, HGLT_OBS: -7.2 }, { HGLN_OBS: -71.3, HGLT_OBS: 5.5, RSUN_REF: 696_000_000 }];

it('observers on opposite sides of the Sun are 180 degrees apart', () => {
  const [a, b] = [-7.13, 7.13].map((b0Degrees) => ({ b0Degrees, longitudeDegrees: b0Degrees < 0 ? -96 : 84 }));
  expect(separationDegrees(a!, b!)).toBe(180);
});

it.each(SEEN_BY)('a place on the Sun coincides in all frames for the observer %o', (observer) => {
  const plane = planeOf(FULL_DISC, observer);
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 0.98, noNaN: true }),
      fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }),
      (r, angle) => {
        const seen = { x: 950 * r * Math.cos(angle), y: 950 * r * Math.sin(angle) };
        const place = placeOf(plane, { frame: 'helioprojective', ...seen });
        for (const frame of ['stonyhurst', 'carrington'] as const) {
          const { longitude, latitude } = place[frame]!;
          const again = placeOf(plane, { frame, x: longitude, y: latitude });
          expect(Math.hypot(again.pixel.x - place.pixel.x, again.pixel.y - place.pixel.y)).toBeLessThan(1e-5);
        }
        expect(placeOf(plane, { frame: 'pixel', ...place.pixel }).helioprojective!.x).toBeCloseTo(seen.x, 6);
      },
    ),
    { numRuns: 200 },
  );
});

it('a place on the Sun at the centre of the disc has the coordinates of the observer', () => {
  const plane = planeOf(FULL_DISC, { HGLN_OBS: -71.3, HGLT_OBS: 5.5 });
  const { stonyhurst } = placeOf(plane, { frame: 'pixel', x: 2048.5, y: 2048.5 });
  expect(stonyhurst!.longitude).toBeCloseTo(-71.3, 9);
  expect(stonyhurst!.latitude).toBeCloseTo(5.5, 9);
});

it('a place on the Sun does not exist beside the disc, and raises an error behind it, beyond a pole and without a projection', () => {
  const plane = planeOf(FULL_DISC);
  expect(placeOf(plane, { frame: 'helioprojective', x: 1100, y: 0 })).toMatchObject({ stonyhurst: null, carrington: null });
  expect(() => placeOf(plane, { frame: 'stonyhurst', x: 120, y: 0 })).toThrow(
    /side of the Sun that the observer of this image saw for x/,
  );
  expect(() => placeOf(plane, { frame: 'carrington', x: 0, y: 91 })).toThrow(/latitude from -90 to 90 degrees for y/);
  expect(() => placeOf(plane, { frame: 'helioprojective', x: 648_000, y: 0 })).toThrow(/in front of the observer for x/);
  for (const unplaced of [
    { CTYPE1: 'HPLN-ARC' },
    { CTYPE1: 'HPLN-AZP', CTYPE2: 'HPLT-AZP', PV2_1: 0.2, PV2_2: 90 },
    { CTYPE1: 'HPLN-CAR', CTYPE2: 'HPLT-CAR', CRVAL2: 5, LONPOLE: 90 },
    { CTYPE1: 'HPLN-ZPN', CTYPE2: 'HPLT-ZPN' },
  ]) {
    const other = mapOf({ ...FULL_DISC, ...unplaced });
    expect(imagePlane(wcsOf(other)!, imageObserver(NOON, AU, other))).toBeNull();
  }
  expect(() => placeOf(null, { frame: 'helioprojective', x: 1, y: 1 })).toThrow(/Use frame=pixel/);
});
